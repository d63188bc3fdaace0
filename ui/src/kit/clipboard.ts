/** Copying text, also where the page came over plain http and has no `navigator.clipboard`. */

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyByCommand(text)
  }
}

/** The older way: select the text in a field that nobody sees. */
function copyByCommand(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'visually-hidden'
  field.setAttribute('aria-hidden', 'true')
  document.body.append(field)
  field.select()
  let isCopied = false
  try {
    isCopied = document.execCommand('copy')
  } catch {
    // Not allowed either: the caller shows the text to be copied by hand.
  }
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  return isCopied
}
