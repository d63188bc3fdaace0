/** The curves of one card: fetched while it is in view, refined when zoomed, fetched anew when their runs change. */

import { computed, onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { isAbort, isRebuilding, noteMissing, rebuildingIn } from '@/base/api/client'
import { useLatestRequest } from '@/base/api/latestRequest'
import { notePartial, noteRefusal, onChanges } from '@/base/api/live'
import type { Curve } from '@/plot/curve'
import { curveKey, stepRange, type AxisKind } from '@/plot/curves'
import { contains, type Range } from '@/plot/zoom'
import { fetchCurves, type ScalarQuery } from './api'
import { held, hold } from './curveCache'
import { isDerived } from './derived/derivedCharts'

export interface CurveQuery {
  readonly runs: readonly string[]
  readonly tags: readonly string[]
  readonly resume: 'latest' | 'all'
  readonly smoothing: number
  readonly maxPoints: number
  readonly axis: AxisKind
  /** The run that expressions subtract. */
  readonly baseline?: string | undefined
  /** The visible part of the x axis, null when all of it is. */
  readonly within: Range | null
}

/** A curve to draw; `isWhole` unless it is only a part, so that smoothing here would lack its past. */
export interface ShownCurve {
  readonly curve: Curve
  readonly isWhole: boolean
}

interface Detail {
  readonly steps: Range
  readonly options: string
  readonly curves: ReadonlyMap<string, Curve>
}

/** Curves of an expression are held by its baseline, too. */
const heldTag = (tag: string, { baseline }: Pick<CurveQuery, 'baseline'>): string =>
  isDerived(tag) && baseline ? `${tag}\n${baseline}` : tag

export interface CurveLoading {
  readonly curves: Readonly<Ref<readonly ShownCurve[]>>
  /** The same curves, none of them only a part. */
  readonly whole: Readonly<ShallowRef<readonly Curve[]>>
  readonly isLoaded: Readonly<Ref<boolean>>
  readonly isRefining: Readonly<Ref<boolean>>
  readonly error: Readonly<ShallowRef<unknown>>
  /** Runs whose curves are missing or may be old, since they are being rebuilt. */
  readonly rebuilding: Readonly<ShallowRef<readonly string[]>>
  retry(): void
}

const DETAILS_KEPT = 6
/** Slider and zoom settle before the service is asked. */
const SETTLE_MS = 140

export function useCurves(query: () => CurveQuery, isActive: () => boolean): CurveLoading {
  const base = shallowRef<readonly Curve[]>([])
  const isLoaded = ref(false)
  const error = shallowRef<unknown>(null)
  const details = shallowRef<readonly Detail[]>([])
  const isRefining = ref(false)
  const rebuilding = shallowRef<readonly string[]>([])

  const baseRequest = useLatestRequest()
  const detailRequest = useLatestRequest()
  let isFetching = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let detailTimer: ReturnType<typeof setTimeout> | undefined
  let isDirty = false // runs changed while a request was under way

  /** Whether what is held answers `asked`; smoothing of whole curves is computed here, so any will do. */
  function answers(run: string, tag: string, asked: CurveQuery): boolean {
    const found = held(run, heldTag(tag, asked))
    if (!found || found.isStale || found.resume !== asked.resume || found.maxPoints < asked.maxPoints) {
      return (
        found !== undefined &&
        !found.isStale &&
        found.resume === asked.resume &&
        found.curves.every((curve) => !curve.downsampled)
      )
    }
    return (
      found.smoothing === asked.smoothing ||
      asked.smoothing === 0 ||
      found.curves.every((curve) => !curve.downsampled)
    )
  }

  function show(asked: CurveQuery): void {
    const curves = asked.tags.flatMap((tag) =>
      asked.runs.flatMap((run) => held(run, heldTag(tag, asked))?.curves ?? []),
    )
    const isSame = curves.length === base.value.length && curves.every((curve, i) => curve === base.value[i])
    if (!isSame) base.value = curves
  }

  function stopBase(): void {
    clearTimeout(timer)
    baseRequest.cancel()
    isFetching = false
  }

  function stop(): void {
    stopBase()
    detailRequest.cancel()
    clearTimeout(detailTimer)
  }

  async function refresh(): Promise<void> {
    stopBase()
    const asked = query()
    const missing = asked.tags
      .map((tag) => ({ tag, runs: asked.runs.filter((run) => !answers(run, tag, asked)) }))
      .filter(({ runs }) => runs.length > 0)
    if (missing.length === 0) {
      show(asked)
      isLoaded.value = true
      error.value = null
      rebuilding.value = []
      refine()
      return
    }
    // Curves that are already here (of runs chosen before) are shown at once, the others join them.
    if (missing.some(({ runs }) => runs.length < asked.runs.length)) show(asked)
    const signal = baseRequest.start()
    isFetching = true
    isDirty = false
    try {
      const { resume, smoothing, maxPoints, baseline } = asked
      const refusals = await Promise.all(
        missing.map(({ tag, runs }) =>
          loadMissing({ tag, runs, resume, smoothing, maxPoints, baseline }, signal),
        ),
      )
      if (signal.aborted) return
      isFetching = false
      rebuilding.value = notePartial(signal)
      isLoaded.value = true
      show(asked)
      // Curves of other runs are worth more than a note in their place.
      error.value = base.value.length > 0 ? null : (refusals.find((problem) => problem !== null) ?? null)
      if (isDirty) void refresh()
      else refine()
    } catch (problem) {
      if (signal.aborted) return
      isFetching = false
      if (isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
  }

  /** Fetches the curves of a tag into the cache; gives the refusal where all of these runs are being rebuilt. */
  async function loadMissing(asked: ScalarQuery, signal: AbortSignal): Promise<unknown> {
    try {
      const { tag, runs, resume, smoothing, maxPoints } = asked
      const curves = await fetchCurves(asked, signal)
      const missing = new Set(rebuildingIn(signal))
      const byRun = new Map<string, Curve[]>(runs.filter((run) => !missing.has(run)).map((run) => [run, []]))
      for (const curve of curves) byRun.get(curve.run)?.push(curve)
      for (const [run, own] of byRun)
        hold(run, heldTag(tag, asked), { curves: own, resume, smoothing, maxPoints, isStale: false })
      return null
    } catch (problem) {
      if (!isRebuilding(problem)) throw problem
      noteMissing(signal, asked.runs)
      return problem
    }
  }

  const detailOptions = (asked: CurveQuery): string =>
    JSON.stringify([asked.runs, asked.tags, asked.resume, asked.smoothing, asked.baseline])

  /** Steps to ask for so that the visible part is exact; null when what is here already is. */
  function wantedSteps(asked: CurveQuery): Range | null {
    // Of curves without steps no part can be asked for.
    if (!asked.within || !base.value.some((curve) => curve.downsampled && curve.hasSteps)) return null
    return stepRange(base.value, asked.axis, asked.within[0], asked.within[1])
  }

  function refine(isForced = false): void {
    clearTimeout(detailTimer)
    const asked = query()
    const steps = wantedSteps(asked)
    const options = detailOptions(asked)
    if (
      !steps ||
      (!isForced &&
        details.value.some((detail) => detail.options === options && sameRange(detail.steps, steps)))
    ) {
      detailRequest.cancel()
      isRefining.value = false
      return
    }
    isRefining.value = true
    detailTimer = setTimeout(() => void fetchDetail(asked, steps, options), SETTLE_MS)
  }

  async function fetchDetail(asked: CurveQuery, steps: Range, options: string): Promise<void> {
    const signal = detailRequest.start()
    try {
      const { runs, resume, smoothing, maxPoints, baseline } = asked
      const found = await Promise.all(
        asked.tags.map((tag) =>
          fetchCurves(
            { tag, runs, resume, smoothing, maxPoints, baseline, fromStep: steps[0], toStep: steps[1] },
            signal,
          ),
        ),
      )
      if (signal.aborted) return
      const curves = new Map(found.flat().map((curve) => [curveKey(curve), curve]))
      const others = details.value.filter(
        (detail) => detail.options === options && !sameRange(detail.steps, steps),
      )
      details.value = [...others.slice(1 - DETAILS_KEPT), { steps, options, curves }]
    } catch (problem) {
      // The coarse drawing stays; the next zoom or change asks again.
      if (!isAbort(problem)) noteRefusal(problem)
    } finally {
      if (!signal.aborted) isRefining.value = false
    }
  }

  const curves = computed<readonly ShownCurve[]>(() => {
    const asked = query()
    const whole = base.value.map((curve) => ({ curve, isWhole: true }))
    const steps = wantedSteps(asked)
    if (!steps) return whole
    // The narrowest part that covers what is visible has the most detail. Smoothing may lag while new is fetched.
    const covering = details.value
      .filter((detail) => contains(detail.steps, steps))
      .sort((a, b) => a.steps[1] - a.steps[0] - (b.steps[1] - b.steps[0]))
    const best = covering.find((detail) => detail.options === detailOptions(asked)) ?? covering[0]
    if (!best) return whole
    return whole.map((shown) => {
      const fine =
        shown.curve.downsampled && shown.curve.hasSteps ? best.curves.get(curveKey(shown.curve)) : undefined
      return fine ? { curve: fine, isWhole: false } : shown
    })
  })

  const baseKey = (): string => {
    const { runs, tags, resume, maxPoints, baseline } = query()
    return JSON.stringify([runs, tags, resume, maxPoints, baseline])
  }
  watch(
    [baseKey, isActive],
    ([, active]) => {
      if (active) void refresh()
      else stop()
    },
    { immediate: true },
  )
  watch(
    () => query().smoothing,
    () => {
      if (!isActive()) return
      clearTimeout(timer)
      timer = setTimeout(() => void refresh(), SETTLE_MS)
    },
  )
  watch(
    () => {
      const { within, axis } = query()
      return [within?.[0], within?.[1], axis]
    },
    () => isActive() && refine(),
  )

  onChanges(({ runs }) => {
    const asked = query()
    if (!isActive() || (runs.length > 0 && !asked.runs.some((run) => runs.includes(run)))) return
    if (isFetching) isDirty = true
    else void refresh().then(() => refine(true))
  })

  onScopeDispose(stop)

  return { curves, whole: base, isLoaded, isRefining, error, rebuilding, retry: () => void refresh() }
}

const sameRange = (a: Range, b: Range): boolean => a[0] === b[0] && a[1] === b[1]
