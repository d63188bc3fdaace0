/** A text cut at each place where something stands in it, ignoring the case of a to z, as the service does. */

export interface Part {
  readonly text: string
  readonly isMatch: boolean
}

const lowered = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

export function matchParts(text: string, find: string): readonly Part[] {
  if (find === '') return [{ text, isMatch: false }]
  const parts: Part[] = []
  const [all, wanted] = [lowered(text), lowered(find)]
  let from = 0
  for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), isMatch: false })
    parts.push({ text: text.slice(at, at + find.length), isMatch: true })
    from = at + find.length
  }
  if (from < text.length) parts.push({ text: text.slice(from), isMatch: false })
  return parts
}
