/** Keys of rows as an address says them: those of the chosen recording are short. */

const APART = '_'

export const writeRowIds = (keys: Iterable<string>, own: string): string | null =>
  [...keys].map((key) => (key.startsWith(`${own}.`) ? key.slice(own.length) : key)).join(APART) || null

export const readRowIds = (text: string | undefined, own: string): ReadonlySet<string> =>
  new Set(
    (text ?? '')
      .split(APART)
      .filter(Boolean)
      .map((key) => (key.startsWith('.') ? own + key : key)),
  )
