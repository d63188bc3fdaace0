/** Superseded values beside the newest: they come as series of their own, so that cards show them as they show those of another writer. */

/** One value, or one of several that were logged together; these are told apart by `index`. */
interface Dated {
  readonly step: number
  readonly index?: number
  readonly wall?: number
  readonly wall_time?: number | string
}

export interface Replaceable {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly superseded: number
  readonly items: readonly Dated[]
  /** Left out: the newest values of each step; 1: those that they replaced, 2: those that these replaced, and so on. */
  readonly replaced?: number
}

/** A series of the service, or one of the values that it superseded. */
export type Superseding<S> = S & Pick<Replaceable, 'replaced'>

type Fetch<Q, S> = (query: Q, signal?: AbortSignal) => Promise<readonly S[]>

const seriesKey = (series: Replaceable): string =>
  JSON.stringify([series.run, series.tag, series.source, (series as { readonly kind?: string }).kind])
const recordKey = (record: readonly Dated[]): string =>
  `${record[0]!.step} ${record[0]!.wall ?? record[0]!.wall_time}`

/** Items that were logged together, in the order of logging. */
function recordsOf<T extends Dated>(items: readonly T[]): readonly (readonly T[])[] {
  const records: T[][] = []
  for (const item of items) {
    if (item.index) records.at(-1)?.push(item)
    else records.push([item])
  }
  return records
}

/** What `every` has and `newest` has not; `every` holds values in the order of writing. */
export function replacedIn<S extends Replaceable>(every: S, newest: S | undefined): readonly S[] {
  const left = new Map<string, number>()
  for (const record of recordsOf(newest?.items ?? []))
    left.set(recordKey(record), (left.get(recordKey(record)) ?? 0) + 1)
  const byStep = new Map<number, number>()
  const groups: Dated[][] = []
  for (const record of [...recordsOf(every.items)].reverse()) {
    const count = left.get(recordKey(record)) ?? 0
    if (count > 0) {
      left.set(recordKey(record), count - 1)
      continue
    }
    const rank = byStep.get(record[0]!.step) ?? 0
    byStep.set(record[0]!.step, rank + 1)
    ;(groups[rank] ??= []).unshift(...record)
  }
  // They are counted where the newest are.
  return groups.map((items, rank) => ({ ...every, superseded: 0, items, replaced: rank + 1 }))
}

/** `fetch`, which gives what is to be seen by default, and with `withSuperseded` all else in series of their own, too. */
export const besideSuperseded =
  <Q extends { readonly withSuperseded?: boolean }, S extends Replaceable>(fetch: Fetch<Q, S>): Fetch<Q, S> =>
  async (query, signal) => {
    const newest = fetch({ ...query, withSuperseded: false }, signal)
    if (!query.withSuperseded) return newest
    const [visible, everything] = await Promise.all([newest, fetch(query, signal)])
    const byKey = new Map(visible.map((series) => [seriesKey(series), series]))
    return [...visible, ...everything.flatMap((every) => replacedIn(every, byKey.get(seriesKey(every))))]
  }
