/** Tags in groups by their prefix, in the order people expect. */

export interface TagGroup {
  /** The part before the first slash; empty for tags without one. */
  readonly prefix: string
  readonly tags: readonly string[]
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Alphabetical with numbers by size: layer2 before layer10. */
export const compareNames = (a: string, b: string): number =>
  collator.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0)

export function prefixOf(tag: string): string {
  const slash = tag.indexOf('/')
  return slash > 0 ? tag.slice(0, slash) : ''
}

/** Groups in name order, tags without a prefix first. */
export function groupTags(tags: readonly string[]): readonly TagGroup[] {
  const groups = new Map<string, string[]>()
  for (const tag of tags) {
    const prefix = prefixOf(tag)
    const group = groups.get(prefix)
    if (group) group.push(tag)
    else groups.set(prefix, [tag])
  }
  return [...groups]
    .sort(([a], [b]) => compareNames(a, b))
    .map(([prefix, members]) => ({ prefix, tags: members.sort(compareNames) }))
}
