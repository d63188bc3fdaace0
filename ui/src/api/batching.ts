/** Scalar requests of many cards as few calls: what is asked at the same moment with the same options goes together. */

import type { Curve } from './curves'
import { isAbort } from './client'
import { fetchCurves, type ScalarQuery } from './scalars'

/** The options of a request for one tag. */
export type TagQuery = Omit<ScalarQuery, 'tags'> & { readonly tag: string }

interface Waiting {
  readonly query: TagQuery
  readonly signal: AbortSignal
  resolve(curves: Curve[]): void
  reject(error: unknown): void
}

/** Calls in flight at once; browsers open six connections to a server, and others want some too. */
const CALLS = 4
/** Curves asked for in one call: enough to save calls, few enough that cards fill one after the other. */
const CURVES_PER_CALL = 48

let waiting: Waiting[] = []
let running = 0
let isPlanned = false

/** The curves of one tag. Rejects with an AbortError when `signal` fires first. */
export function loadTag(query: TagQuery, signal: AbortSignal): Promise<Curve[]> {
  return new Promise((resolve, reject) => {
    const item: Waiting = { query, signal, resolve, reject }
    signal.addEventListener('abort', () => reject(new DOMException('cancelled', 'AbortError')), { once: true })
    waiting.push(item)
    plan()
  })
}

function plan(): void {
  if (isPlanned) return
  isPlanned = true
  // A short while, so that all cards that came into view in this frame are in.
  setTimeout(() => {
    isPlanned = false
    start()
  }, 8)
}

function start(): void {
  waiting = waiting.filter(({ signal }) => !signal.aborted)
  while (running < CALLS && waiting.length > 0) {
    const group = takeGroup()
    running++
    void call(group).finally(() => {
      running--
      start()
    })
  }
}

const optionsOf = ({ runs, fromStep, toStep, maxPoints, resume, smoothing }: TagQuery): string =>
  JSON.stringify([runs, fromStep, toStep, maxPoints, resume, smoothing])

function takeGroup(): Waiting[] {
  const first = waiting[0]!
  const options = optionsOf(first.query)
  const limit = Math.max(1, Math.floor(CURVES_PER_CALL / Math.max(1, first.query.runs.length)))
  const group: Waiting[] = []
  waiting = waiting.filter((item) => {
    if (group.length >= limit || optionsOf(item.query) !== options) return true
    group.push(item)
    return false
  })
  return group
}

async function call(group: readonly Waiting[]): Promise<void> {
  const { runs, fromStep, toStep, maxPoints, resume, smoothing } = group[0]!.query
  const range = fromStep === undefined || toStep === undefined ? {} : { fromStep, toStep }
  const abort = new AbortController()
  const cancel = (): void => {
    if (group.every(({ signal }) => signal.aborted)) abort.abort()
  }
  for (const { signal } of group) signal.addEventListener('abort', cancel, { once: true })
  try {
    const curves = await fetchCurves({ runs, maxPoints, resume, smoothing, ...range, tags: [...new Set(group.map(({ query }) => query.tag))] }, abort.signal)
    for (const { query, resolve } of group) resolve(curves.filter((curve) => curve.tag === query.tag))
  } catch (error) {
    for (const { reject } of group) reject(isAbort(error) ? new DOMException('cancelled', 'AbortError') : error)
  } finally {
    for (const { signal } of group) signal.removeEventListener('abort', cancel)
  }
}
