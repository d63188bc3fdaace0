/** Counters and flows of the visible range, fetched once it rests. */

import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'
import { isAbort } from '@/base/api/client'
import { useLatestRequest } from '@/base/api/latestRequest'
import { noteRefusal } from '@/base/api/live'
import { arrowOf, type Arrow } from './drawing/arrows'
import { answerOf } from '@/boards/profiler/shared/analysisRequests'
import { curveOf, type CounterCurve } from './drawing/counters'
import type { Source } from './tiles/traceSource'
import { contains, lengthOf, type Span } from './viewport'

export interface Beside {
  /** By the key of their row. */
  readonly counters: Readonly<ShallowRef<ReadonlyMap<string, CounterCurve>>>
  readonly arrows: Readonly<ShallowRef<readonly Arrow[]>>
  /** How many there are in sight, of which `arrows` are some; null while they are not asked for. */
  readonly arrowTotal: Readonly<ShallowRef<number | null>>
}

const REST_MS = 180
const MOST_ARROWS = 300

export function useCountersAndFlows(
  span: () => Span | null,
  width: () => number,
  sources: () => readonly (Source | null)[],
  withArrows: () => boolean,
): Beside {
  const counters = shallowRef<ReadonlyMap<string, CounterCurve>>(new Map())
  const arrows = shallowRef<readonly Arrow[]>([])
  const arrowTotal = shallowRef<number | null>(null)
  /** What the counters at hand were fetched for. */
  let covered: { readonly span: Span; readonly ids: string } | null = null
  const request = useLatestRequest()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function fetchCounters(view: Span, signal: AbortSignal): Promise<void> {
    const ready = sources().filter((source) => source !== null)
    const ids = ready.map(({ profile }) => profile.id).join()
    const isFine =
      covered?.ids === ids && contains(covered.span, view) && lengthOf(covered.span) <= 6 * lengthOf(view)
    if (isFine) return
    const wide = { from: view.from - lengthOf(view), to: view.to + lengthOf(view) }
    const lists = await Promise.all(
      ready
        .filter(({ about }) => about.counters.length > 0)
        .map(async ({ profile, offset }) => {
          const range = { from_ns: Math.floor(wide.from - offset), to_ns: Math.ceil(wide.to - offset) }
          const answer = await answerOf(
            profile.id,
            'counters',
            { ...range, width: Math.max(1, Math.ceil(width() * 3)) },
            signal,
          )
          return answer.counters.map((counter) => {
            const key = `${profile.id}.c.${counter.name}`
            return [key, curveOf(counter, counters.value.get(key))] as const
          })
        }),
    )
    counters.value = new Map(lists.flat())
    covered = { span: wide, ids }
  }

  async function fetchArrows(view: Span, signal: AbortSignal): Promise<void> {
    if (!withArrows()) {
      arrows.value = []
      arrowTotal.value = null
      return
    }
    const pages = await Promise.all(
      sources().map(async (source, at) => {
        if (!source) return { total: 0, shown: [] }
        const range = {
          from_ns: Math.floor(view.from - source.offset),
          to_ns: Math.ceil(view.to - source.offset),
        }
        const { total, flows } = await answerOf(
          source.profile.id,
          'timeline/flows',
          { ...range, limit: MOST_ARROWS },
          signal,
        )
        return { total, shown: flows.map((flow) => arrowOf(at, flow)) }
      }),
    )
    arrows.value = pages.flatMap(({ shown }) => shown)
    arrowTotal.value = pages.reduce((sum, { total }) => sum + total, 0)
  }

  function update(): void {
    const view = span()
    if (!view) return
    const signal = request.start()
    void Promise.all([fetchCounters(view, signal), fetchArrows(view, signal)]).catch((error: unknown) => {
      if (!isAbort(error)) noteRefusal(error)
    })
  }

  watch(
    [span, sources, withArrows],
    () => {
      clearTimeout(timer)
      timer = setTimeout(update, REST_MS)
    },
    { immediate: true },
  )
  onScopeDispose(() => clearTimeout(timer))
  return { counters, arrows, arrowTotal }
}
