/** Which two runs are asked about, as a value and as the query of an address. */

import { readAddress, writeAddress, type AddressParts } from './address'
import { locationAt } from './useView'

export interface WhyView {
  /** Ids; empty: none chosen yet. */
  readonly a: string
  readonly b: string
  /** The scalar whose curves are looked at; null: the page decides. */
  readonly tag: string | null
}

export function writeWhyView({ a, b, tag }: WhyView): AddressParts {
  const query = new URLSearchParams()
  if (a) query.append('a', a)
  if (b) query.append('b', b)
  if (tag !== null) query.append('tag', tag)
  return writeAddress(query)
}

export function readWhyView(query: string, hash = ''): WhyView {
  const given = readAddress(query, hash)
  return { a: given.get('a') ?? '', b: given.get('b') ?? '', tag: given.get('tag') }
}

/** Where the router finds what differs between two runs. */
export const whyLocation = (a: string, b: string): ReturnType<typeof locationAt> => locationAt('/lineage/why', writeWhyView({ a, b, tag: null }))

/** What people judge a training by, the best first; of new examples rather than of those it has learned from. */
const TELLING = [/(eval|val|test|valid).*acc/i, /acc/i, /(eval|val|test|valid).*loss/i, /loss/i, /score|reward|error/i]

/** The tag to begin with. */
export function firstTag(tags: readonly string[]): string | null {
  for (const pattern of TELLING) {
    const found = tags.find((tag) => pattern.test(tag))
    if (found !== undefined) return found
  }
  return tags[0] ?? null
}
