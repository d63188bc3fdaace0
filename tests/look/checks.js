// What is wrong with how a page looks, told by its document: runs in the page and returns sentences.
(forbidden) => {
  const problems = []
  const CARDS = '.card, .panel, .tile, article, dialog, [role="dialog"]'
  const SLACK = 2
  const root = document.documentElement

  const nameOf = (element) => {
    const id = element.closest('[data-testid]')?.getAttribute('data-testid')
    const own = typeof element.className === 'string' ? element.className.trim().split(/\s+/).slice(0, 2).join('.') : ''
    const text = (element.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 40)
    return `${element.tagName.toLowerCase()}${own ? `.${own}` : ''}${id ? ` in ${id}` : ''}${text ? ` “${text}”` : ''}`
  }
  const styles = new Map()
  const styleOf = (element) => {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element))
    return styles.get(element)
  }
  const isVisible = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    !element.closest('.visually-hidden, .skip, [aria-hidden="true"], [inert]')
  const clips = (element) => {
    const { overflowX, overflowY } = styleOf(element)
    return overflowX !== 'visible' || overflowY !== 'visible'
  }

  // --- the document ---
  if (root.scrollWidth > innerWidth + 1) {
    const widest = [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && isVisible(element))
      .at(-1)
    problems.push(`the document scrolls sideways: ${root.scrollWidth} px in ${innerWidth} (${widest ? nameOf(widest) : '?'})`)
  }

  // --- elements larger than their card ---
  for (const card of document.querySelectorAll(CARDS)) {
    if (!isVisible(card)) continue
    const box = card.getBoundingClientRect()
    if (box.width < 8 || box.height < 8) continue
    for (const element of card.querySelectorAll('*')) {
      const own = element.getBoundingClientRect()
      if (own.width < 2 || own.height < 2) continue
      const isOut =
        own.left < box.left - SLACK || own.right > box.right + SLACK || own.top < box.top - SLACK || own.bottom > box.bottom + SLACK
      if (!isOut || (element.ownerSVGElement && element.tagName !== 'svg') || !isVisible(element)) continue
      if (['fixed', 'absolute'].includes(styleOf(element).position) && element.closest('.popup, .panel.left, .panel.right')) continue
      let isClipped = false
      for (let above = element.parentElement; above && above !== card.parentElement; above = above.parentElement)
        if (clips(above)) isClipped = true
      if (!isClipped) {
        problems.push(`larger than its card: ${nameOf(element)} in ${nameOf(card)}`)
        break
      }
    }
  }

  // --- texts ---
  const leaves = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    if (!node.data.trim() || !element || /^(SCRIPT|STYLE|OPTION|TITLE|TEXTAREA)$/i.test(element.tagName)) continue
    if (!isVisible(element)) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const box = range.getBoundingClientRect()
    if (box.width < 1 || box.height < 1) continue
    leaves.push({ element, box, text: node.data.trim() })
  }

  const hasFullText = (element) => element.closest('[title]') !== null || element.closest('button[aria-label], a[aria-label]') !== null
  const told = new Set()
  const tell = (key, problem) => {
    if (told.has(key)) return
    told.add(key)
    problems.push(problem)
  }
  for (const { element, box, text } of leaves) {
    if (element.ownerSVGElement) continue
    for (let above = element; above && above !== document.body; above = above.parentElement) {
      const style = styleOf(above)
      // The cells of a grid are scrolled by the grid itself.
      if (style.position === 'fixed' || above.getAttribute('role') === 'grid') break
      const frame = above.getBoundingClientRect()
      const isCutAcross = ['hidden', 'clip'].includes(style.overflowX) && box.right > frame.right + SLACK
      const isCutBelow =
        ['hidden', 'clip'].includes(style.overflowY) && box.top < frame.bottom - SLACK && box.bottom > frame.bottom + 4 && box.height < 40
      if (isCutAcross) {
        const dots = [element, above].some((each) => styleOf(each).textOverflow === 'ellipsis')
        if (!dots) tell(`cut ${nameOf(above)}`, `cut without an ellipsis: “${text.slice(0, 60)}” by ${nameOf(above)}`)
        else if (!hasFullText(element)) tell(`title ${nameOf(above)}`, `cut without a title: “${text.slice(0, 60)}” by ${nameOf(above)}`)
        break
      }
      if (isCutBelow && above !== element.closest('main')) {
        tell(`below ${nameOf(above)}`, `cut at the bottom: “${text.slice(0, 60)}” by ${nameOf(above)}`)
        break
      }
      if (/auto|scroll/.test(style.overflowX + style.overflowY)) break
    }
  }

  // --- overlap: two texts in one place, both of them seen ---
  const inSight = leaves.filter(({ box }) => box.right > 0 && box.bottom > 0 && box.left < innerWidth && box.top < innerHeight)
  const isOpaque = (element) => {
    const colour = styleOf(element).backgroundColor
    return colour !== 'transparent' && !/, 0(\.\d+)?\)$/.test(colour)
  }
  const byRow = [...inSight].sort((a, b) => a.box.top - b.box.top)
  for (let i = 0; i < byRow.length; i++) {
    const a = byRow[i]
    for (let j = i + 1; j < byRow.length && byRow[j].box.top < a.box.bottom - 3; j++) {
      const b = byRow[j]
      if (a.element === b.element || a.element.contains(b.element) || b.element.contains(a.element)) continue
      if (a.element.ownerSVGElement && b.element.ownerSVGElement) continue
      const left = Math.max(a.box.left, b.box.left)
      const right = Math.min(a.box.right, b.box.right)
      const top = Math.max(a.box.top, b.box.top)
      const bottom = Math.min(a.box.bottom, b.box.bottom)
      if (right - left < 4 || bottom - top < 5) continue
      const stack = document.elementsFromPoint((left + right) / 2, (top + bottom) / 2)
      const [first, second] = [stack.indexOf(a.element), stack.indexOf(b.element)].sort((one, other) => one - other)
      // What is clipped or inert is not hit; what lies on a ground of its own covers the other.
      if (first < 0 || stack.slice(0, second).some((each) => isOpaque(each) && !each.contains(stack[second]))) continue
      tell(`over ${nameOf(a.element)}`, `overlap: “${a.text.slice(0, 40)}” and “${b.text.slice(0, 40)}” (${nameOf(b.element)})`)
    }
  }

  // --- keys and values of programs ---
  const exact = new Set(forbidden)
  for (const { element, text } of leaves)
    if (exact.has(text) || /^(undefined|null|\[object \w+\])$/.test(text) || /\[object \w+\]/.test(text))
      tell(`raw ${text}`, `raw key: “${text.slice(0, 60)}” (${nameOf(element)})`)

  return problems
}
