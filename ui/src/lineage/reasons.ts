/** What differs between two runs, kept up to date. */

import { onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import { isAbort } from '@/api/client'
import { fetchReasons, type Reasons } from '@/api/lineageGraph'
import { noteRefusal, onChanges } from '@/state/live'

export interface ReasonSource {
  /** Null until they are known. */
  readonly reasons: Readonly<Ref<Reasons | null>>
  readonly error: Readonly<Ref<unknown>>
  retry(): void
}

export interface Asked {
  readonly a: string
  readonly b: string
  readonly tag: string
}

/** `asked` gives null as long as there is nothing to ask. */
export function useReasons(asked: () => Asked | null): ReasonSource {
  const reasons = shallowRef<Reasons | null>(null)
  const error = shallowRef<unknown>(null)
  let abort = new AbortController()

  async function load(): Promise<void> {
    abort.abort()
    abort = new AbortController()
    const now = asked()
    if (!now) return
    try {
      reasons.value = await fetchReasons(now.a, now.b, now.tag, abort.signal)
      error.value = null
    } catch (problem) {
      if (isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
      reasons.value = null
    }
  }
  watch(() => JSON.stringify(asked()), (now, before) => {
    const runsOf = (text: string | undefined): string => {
      const given = JSON.parse(text ?? 'null') as Asked | null
      return given ? `${given.a} ${given.b}` : ''
    }
    // Differences of other runs would be wrong under the names of these.
    if (runsOf(now) !== runsOf(before)) reasons.value = null
    void load()
  }, { immediate: true })
  onChanges(({ runs, removed }) => {
    const now = asked()
    if (now && (runs.length + removed.length === 0 || [...runs, ...removed].some((run) => run === now.a || run === now.b))) void load()
  })
  onScopeDispose(() => abort.abort())
  return { reasons, error, retry: () => void load() }
}
