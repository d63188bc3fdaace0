/** Requests of many cards as few calls: tags that are requested at the same moment with the same options go together. */

import {
  askJson,
  isAbort,
  noteMissing,
  rebuildingIn,
  type Answer,
  type Parameters,
  type PathOf,
} from './client'
import { LatestRequest } from './latestRequest'

/** Which series are wanted; further parameters are passed on to the service. */
export type SeriesQuery = Parameters & { readonly run: readonly string[]; readonly tag: readonly string[] }

interface TaggedSeries {
  readonly tag: string
}

/** Paths whose answers are series of runs and tags. */
export type SeriesPath = {
  [P in PathOf<'get'> & PathOf<'post'>]: Answer<P> extends { series: readonly TaggedSeries[] } ? P : never
}[PathOf<'get'> & PathOf<'post'>]

/** A series in the answers of a path. */
export type SeriesOf<P extends SeriesPath> =
  Answer<P> extends { series: readonly (infer S extends TaggedSeries)[] } ? S : never

interface Pending {
  readonly path: SeriesPath
  readonly query: SeriesQuery
  /** Path and options; what has the same may go together. */
  readonly key: string
  readonly signal: AbortSignal | undefined
  resolve(series: readonly TaggedSeries[]): void
  reject(error: unknown): void
}

/** Calls in flight at once; browsers open six connections to a server, and others want some too. */
const CALLS = 4
/** Series in one call: enough to save calls, few enough that cards fill one after the other. */
const SERIES_PER_CALL = 48
/** All cards that come into view in one frame are in. */
const COLLECT_MS = 8

let pending: Pending[] = []
let running = 0
let isPlanned = false

const aborted = (): DOMException => new DOMException('cancelled', 'AbortError')

/** The series of some tags and runs. Rejects with an AbortError when `signal` fires first. */
export function fetchSeries<P extends SeriesPath>(
  path: P,
  query: SeriesQuery,
  signal?: AbortSignal,
): Promise<readonly SeriesOf<P>[]> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(aborted()), { once: true })
    const key = JSON.stringify([path, { ...query, tag: [] }])
    pending.push({ path, query, key, signal, resolve: resolve as Pending['resolve'], reject })
    if (isPlanned) return
    isPlanned = true
    setTimeout(() => {
      isPlanned = false
      start()
    }, COLLECT_MS)
  })
}

function start(): void {
  pending = pending.filter(({ signal }) => !signal?.aborted)
  while (running < CALLS && pending.length > 0) {
    running++
    void call(takeGroup()).finally(() => {
      running--
      start()
    })
  }
}

function takeGroup(): readonly Pending[] {
  const { key, query } = pending[0]!
  let room = Math.max(1, Math.floor(SERIES_PER_CALL / Math.max(1, query.run.length)))
  const group: Pending[] = []
  pending = pending.filter((item) => {
    const isTaken = item.key === key && (group.length === 0 || item.query.tag.length <= room)
    if (!isTaken) return true
    room -= item.query.tag.length
    group.push(item)
    return false
  })
  return group
}

async function call(group: readonly Pending[]): Promise<void> {
  const { path, query } = group[0]!
  const request = new LatestRequest()
  const own = request.start()
  const cancel = (): void => {
    if (group.every(({ signal }) => signal?.aborted)) request.cancel()
  }
  for (const { signal } of group) signal?.addEventListener('abort', cancel, { once: true })
  try {
    const tag = [...new Set(group.flatMap((item) => item.query.tag))]
    const parameters: SeriesQuery = { ...query, tag }
    const answer = await askJson(path, parameters, own)
    const series: readonly TaggedSeries[] = answer.series
    for (const item of group) {
      noteMissing(item.signal, rebuildingIn(own))
      item.resolve(series.filter((each) => item.query.tag.includes(each.tag)))
    }
  } catch (error) {
    for (const { reject } of group) reject(isAbort(error) ? aborted() : error)
  } finally {
    for (const { signal } of group) signal?.removeEventListener('abort', cancel)
  }
}
