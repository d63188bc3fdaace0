/** What is asked of a profile: its analysis is waited for, and told how far it is. */

import { onScopeDispose, ref, watch, type Ref } from 'vue'
import type { Answer, PathOf, Place, Query } from '@/base/api/client'
import { useQuery, type QueryState } from '@/base/api/query'
import { waitedAnswer } from './analysisRequests'
import { fetchProfiles, placeOf, type Profile, type View, type ViewAnswer, type Waiting } from './api'

export interface ProfileAnswer<T> extends QueryState<T> {
  /** How the analysis stands while the answer has to wait for it. */
  readonly waiting: Readonly<Ref<Waiting | null>>
}

/** `question` is null while nothing is to be asked. What is shown stays until the next answer is there. */
export function useProfileAnswer<V extends View>(
  question: () => {
    readonly profile: string
    readonly part: Place<V>
    readonly parameters?: Query<`profiles/{id}/${V}`>
  } | null,
  debounceMs = 0,
): ProfileAnswer<ViewAnswer<V>> {
  return useWaitedAnswer(() => {
    const current = question()
    return (
      current && {
        path: placeOf(current.profile, current.part),
        ...(current.parameters && { parameters: current.parameters }),
      }
    )
  }, debounceMs)
}

/** The same of anything that recordings have to be analysed for. */
export function useWaitedAnswer<P extends PathOf<'get'>>(
  question: () => { readonly path: Place<P>; readonly parameters?: Query<P> } | null,
  debounceMs = 0,
): ProfileAnswer<Answer<P>> {
  const waiting = ref<Waiting | null>(null)
  const answer = useQuery<Answer<P>>({
    key: () => question() && JSON.stringify(question()),
    // A recording stays as it is; one that is written anew has another id for its answers.
    concerns: () => false,
    debounceMs,
    fetch: async (signal) => {
      const { path, parameters = {} } = question()!
      const response = await waitedAnswer(path, parameters, signal, (how) => (waiting.value = how))
      waiting.value = null
      return response
    },
  })
  return { ...answer, waiting }
}

const POLL_MS = 2000
/** The service analyses new profiles by itself, a while after they were written. */
const NEW_POLL_MS = 10_000

/** The profiles of a run, or of all runs; asked again while some are being analysed, which changes no logs. */
export function useProfiles(run: () => string | null): QueryState<readonly Profile[]> {
  const list = useQuery<readonly Profile[]>({
    key: () => run() ?? '',
    fetch: (signal) => fetchProfiles(run(), signal),
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(list.answer, (profiles) => {
    clearTimeout(timer)
    const pending = (profiles ?? []).filter(({ state }) => state !== 'ready' && state !== 'failed')
    if (pending.length === 0) return
    const isUnderWay = pending.some(({ state }) => state !== 'new')
    timer = setTimeout(() => void list.retry(), isUnderWay ? POLL_MS : NEW_POLL_MS)
  })
  onScopeDispose(() => clearTimeout(timer))
  return list
}
