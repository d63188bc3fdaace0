/** All runs that have data of some kind, newest first. */

import { onScopeDispose, shallowRef, type Ref } from 'vue'
import { isAbort } from '@/api/client'
import { fetchRuns, type Run } from '@/api/runs'
import { hasAnyOf } from '@/state/chosenRuns'
import { noteRefusal, onChanges } from '@/state/live'

const AT_ONCE = 2000
/** While training writes, the list is fetched anew at most this often. */
const REFRESH_MS = 3000

export interface RunsWith {
  /** Null until they are known. */
  readonly runs: Readonly<Ref<readonly Run[] | null>>
  readonly error: Readonly<Ref<unknown>>
  retry(): void
}

export function useRunsWith(kinds: readonly string[]): RunsWith {
  const runs = shallowRef<readonly Run[] | null>(null)
  const error = shallowRef<unknown>(null)
  const abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    try {
      const all: Run[] = []
      for (let total = Infinity; all.length < total;) {
        const part = await fetchRuns({ sort: '-created_at', offset: all.length, limit: AT_ONCE }, abort.signal)
        all.push(...part.runs)
        total = part.runs.length === 0 ? 0 : part.total
      }
      runs.value = all.filter((run) => hasAnyOf(run, kinds))
      error.value = null
    } catch (problem) {
      if (isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
  }
  void load()
  onChanges(() => {
    timer ??= setTimeout(() => {
      timer = undefined
      void load()
    }, REFRESH_MS)
  })
  onScopeDispose(() => {
    abort.abort()
    clearTimeout(timer)
  })
  return { runs, error, retry: () => void load() }
}
