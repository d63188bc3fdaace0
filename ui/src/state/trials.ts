/** The sessions of one run or of all, kept up to date. */

import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'
import { isAbort } from '@/api/client'
import { fetchTrials, type Reduction, type Trials } from '@/api/hparams'
import { noteRefusal, onChanges } from './live'

export interface TrialSource {
  /** null before the first answer. */
  readonly trials: Readonly<ShallowRef<Trials | null>>
  readonly error: Readonly<ShallowRef<unknown>>
  retry(): void
}

/** An answer that took long is asked for again only after several times as long: training may log every second. */
const REST = 4
const LEAST_MS = 1500

export function useTrials(run: () => string | null, metric: () => Reduction): TrialSource {
  const trials = shallowRef<Trials | null>(null)
  const error = shallowRef<unknown>(null)
  let abort: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let restsUntil = 0

  async function load(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    abort?.abort()
    const mine = (abort = new AbortController())
    const began = performance.now()
    const own = run()
    try {
      const found = await fetchTrials(own === null ? null : [own], metric(), mine.signal)
      if (mine.signal.aborted) return
      trials.value = found
      error.value = null
    } catch (problem) {
      if (mine.signal.aborted || isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
    const now = performance.now()
    restsUntil = now + Math.max(LEAST_MS, REST * (now - began))
  }

  watch([run, metric], () => void load(), { immediate: true })
  // Metrics come from any run below the session, so every change counts.
  onChanges(() => {
    timer ??= setTimeout(() => void load(), Math.max(0, restsUntil - performance.now()))
  })
  onScopeDispose(() => {
    clearTimeout(timer)
    abort?.abort()
  })

  return { trials, error, retry: () => void load() }
}
