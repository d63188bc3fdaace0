/** Long texts where nothing but plain text can stand, as in the options of a select. */

/** The text with its middle left out where it is longer than `most` characters. */
export function shortText(text: string, most = 60): string {
  const signs = Array.from(text)
  if (signs.length <= most) return text
  const head = Math.ceil((most - 1) / 2)
  return `${signs.slice(0, head).join('')}…${signs.slice(signs.length - (most - 1 - head)).join('')}`
}
