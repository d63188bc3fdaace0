/** Which two runs are compared. */

import { locationAt } from '@/base/url/useView'
import { defineView, fields, optionalText, text } from '@/base/url/view'

export const whyView = defineView(
  fields({
    /** Run IDs; empty: none selected yet. */
    a: text('a'),
    b: text('b'),
    /** The scalar whose curves are compared; null: the page decides. */
    tag: optionalText('tag'),
  }),
)

/** Where the router finds what differs between two runs. */
export const whyLocation = (a: string, b: string): ReturnType<typeof locationAt> =>
  locationAt('/lineage/why', whyView.write({ a, b, tag: null }))

/** What people judge a training by, the best first; of new examples rather than of those it has learned from. */
const TELLING = [
  /(eval|val|test|valid).*acc/i,
  /acc/i,
  /(eval|val|test|valid).*loss/i,
  /loss/i,
  /score|reward|error/i,
]

/** The tag to begin with. */
export function firstTag(tags: readonly string[]): string | null {
  for (const pattern of TELLING) {
    const found = tags.find((tag) => pattern.test(tag))
    if (found !== undefined) return found
  }
  return tags[0] ?? null
}
