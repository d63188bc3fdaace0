/** The parts that the views of all boards are written with in an address. */

/** Query and hash of an address, both without their signs. */
export interface AddressParts {
  readonly query: string
  readonly hash: string
}

const NOTHING = 'none' // "no run" and "no tag" are choices too

/** Addresses longer than this are cut by some servers; the part behind # never reaches them. */
const LONGEST_QUERY = 3000

/** Slashes, colons, commas and the like need no escape in a query; people read it. */
const readable = (query: URLSearchParams): string =>
  query.toString().replace(/%2F/g, '/').replace(/%3A/g, ':').replace(/%2C/g, ',').replace(/%40/g, '@')

/** What an address says; long ones say it behind the #. */
export function readAddress(query: string, hash = ''): URLSearchParams {
  const params = new URLSearchParams(query.replace(/^\?/, ''))
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ''))) params.append(key, value)
  return params
}

export function writeAddress(query: URLSearchParams): AddressParts {
  const text = readable(query)
  return text.length <= LONGEST_QUERY ? { query: text, hash: '' } : { query: '', hash: text }
}

export const readList = (params: URLSearchParams, key: string): readonly string[] => [
  ...new Set(params.getAll(key)),
]

/** The chosen values; null when nothing was chosen. */
export function readChoice(params: URLSearchParams, key: string): readonly string[] | null {
  const values = readList(params, key)
  return values.length === 0 ? null : values.length === 1 && values[0] === NOTHING ? [] : values
}

export function writeList(query: URLSearchParams, key: string, values: readonly string[]): void {
  for (const value of values) query.append(key, value)
}

export function writeChoice(query: URLSearchParams, key: string, values: readonly string[] | null): void {
  if (values !== null) writeList(query, key, values.length > 0 ? values : [NOTHING])
}

/** Entries written as `text@card`; the text has no @, so the first one ends it. */
export function readMap<T>(
  entries: readonly string[],
  read: (text: string) => T | null,
): ReadonlyMap<string, T> {
  const map = new Map<string, T>()
  for (const entry of entries) {
    const at = entry.indexOf('@')
    const value = at < 0 ? null : read(entry.slice(0, at))
    if (value !== null) map.set(entry.slice(at + 1), value)
  }
  return map
}

/** `map` with `key` set, or without it when `value` is null. */
export function withEntry<T>(
  map: ReadonlyMap<string, T>,
  key: string,
  value: T | null,
): ReadonlyMap<string, T> {
  const changed = new Map(map)
  if (value === null) changed.delete(key)
  else changed.set(key, value)
  return changed
}
