/** Words in what is shown. */

const MOST = 2000

const escaped = (words: string): string => words.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Each place where `words` stand in `text`, small or capital. */
export function placesOf(text: string, words: string): readonly (readonly [begin: number, end: number])[] {
  if (words === '') return []
  const places: (readonly [number, number])[] = []
  for (const { index, 0: match } of text.matchAll(new RegExp(escaped(words), 'giu'))) {
    places.push([index, index + match.length])
    if (places.length === MOST) break
  }
  return places
}

/** The same in a piece of page, also where words are partly emphasised. */
export function rangesOf(root: HTMLElement, words: string): readonly Range[] {
  if (words === '') return []
  const nodes: { readonly node: Text; readonly begin: number }[] = []
  let text = ''
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const node = walker.currentNode as Text
    nodes.push({ node, begin: text.length })
    text += node.data
  }
  let at = 0
  const locate = (offset: number): readonly [Text, number] => {
    while (at + 1 < nodes.length && nodes[at + 1]!.begin <= offset) at++
    while (nodes[at]!.begin > offset) at--
    return [nodes[at]!.node, offset - nodes[at]!.begin]
  }
  return placesOf(text, words).map(([begin, end]) => {
    const range = document.createRange()
    range.setStart(...locate(begin))
    const [last, offset] = locate(end - 1)
    range.setEnd(last, offset + 1)
    return range
  })
}
