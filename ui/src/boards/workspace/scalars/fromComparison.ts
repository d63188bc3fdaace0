/** Addresses of the comparison of 0.1.0, as those of the curve workspace; the router needs nothing else of it. */

/** Words that mean something else there. */
const RENAMED = new Map([
  ['q', 'query'],
  ['tf', 'q'],
])

/** A query, or a hash that stands for one. */
export function fromComparison(query: string): string {
  const params = new URLSearchParams()
  for (const [key, value] of new URLSearchParams(query)) params.append(RENAMED.get(key) ?? key, value)
  return params.toString()
}
