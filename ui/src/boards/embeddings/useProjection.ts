/** The projection that is asked for: started, watched until it is there, looked at while it is made. */

import { ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { ApiError, isAbort } from '@/base/api/client'
import { pause, useLatestRequest } from '@/base/api/latestRequest'
import { noteRefusal } from '@/base/api/live'
import {
  cancelProjection,
  fetchProjected,
  fetchProjection,
  startProjection,
  type Projected,
  type ProjectionQuery,
  type ProjectionStatus,
} from './api'

/** What is asked for; `mark` tells embeddings apart that were logged one after the other in the same place. */
export interface AskedProjection extends ProjectionQuery {
  readonly mark: string
}

export interface ShownProjection {
  readonly asked: AskedProjection
  readonly projected: Projected
  readonly explained: readonly number[] | null
  readonly isFinal: boolean
  readonly seconds: number | null
}

export interface ProjectionState {
  /** Of what is asked for now; null before the first answer. */
  readonly status: Readonly<ShallowRef<ProjectionStatus | null>>
  /** What can be drawn, of this or still of an earlier question. */
  readonly shown: Readonly<ShallowRef<ShownProjection | null>>
  readonly error: Readonly<ShallowRef<unknown>>
  readonly isCancelled: Readonly<Ref<boolean>>
  cancel(): void
  retry(): void
}

const FIRST_PAUSE_MS = 120
const LONGEST_PAUSE_MS = 1000

const isGoing = (status: ProjectionStatus | null): status is ProjectionStatus =>
  status?.state === 'queued' || status?.state === 'running'

export function useProjection(query: () => AskedProjection | null): ProjectionState {
  const status = shallowRef<ProjectionStatus | null>(null)
  const shown = shallowRef<ShownProjection | null>(null)
  const error = shallowRef<unknown>(null)
  const isCancelled = ref(false)
  const request = useLatestRequest()
  let current: AskedProjection | null = null

  async function run(): Promise<void> {
    const signal = request.start()
    const now = query()
    dropUnwanted(now)
    current = now
    status.value = null
    error.value = null
    isCancelled.value = false
    if (now) await follow(now, signal)
  }

  /** Another question of the same kind about the same embedding: nobody waits for the first any more. */
  function dropUnwanted(next: AskedProjection | null): void {
    if (!next || !current || !isGoing(status.value)) return
    if (
      next.method === current.method &&
      next.mark === current.mark &&
      next.tag === current.tag &&
      next.run === current.run
    )
      void cancelProjection(status.value.id).catch(() => undefined)
  }

  async function follow(now: AskedProjection, signal: AbortSignal): Promise<void> {
    try {
      let next = await startProjection(now, signal)
      let done = 0
      let wait = FIRST_PAUSE_MS
      for (;;) {
        if (signal.aborted) return
        status.value = next
        if (next.state === 'ready' || (isGoing(next) && next.snapshot > done)) {
          done = next.snapshot
          const projected = await fetchProjected(next.id, signal)
          shown.value = {
            asked: now,
            projected,
            explained: next.explained_variance,
            isFinal: next.state === 'ready',
            seconds: next.seconds,
          }
        }
        if (!isGoing(next)) return
        await pause(wait, signal)
        wait = Math.min(LONGEST_PAUSE_MS, wait * 1.3)
        next = await fetchProjection(next.id, signal)
      }
    } catch (problem) {
      if (signal.aborted || isAbort(problem)) return
      if (problem instanceof ApiError && problem.status === 404 && isGoing(status.value))
        isCancelled.value = true // by somebody else
      else {
        noteRefusal(problem)
        error.value = problem
      }
      status.value = null
    }
  }

  watch(
    () => JSON.stringify(query()),
    () => void run(),
    { immediate: true },
  )

  return {
    status,
    shown,
    error,
    isCancelled,
    cancel() {
      if (!isGoing(status.value)) return
      request.cancel()
      void cancelProjection(status.value.id).catch(() => undefined)
      status.value = null
      isCancelled.value = true
    },
    retry: () => void run(),
  }
}
