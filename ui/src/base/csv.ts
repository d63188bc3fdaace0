/** A name as a CSV cell: one that a spreadsheet would take for a formula gets a `'` in front. */
export function nameCell(name: string): string {
  const plain = /^[=+\-@]/.test(name) ? `'${name}` : name
  return /[",\r\n]/.test(plain) ? `"${plain.replace(/"/g, '""')}"` : plain
}
