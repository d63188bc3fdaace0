/** What is asked of a profile: its analysis is waited for, and told how far it is. */

import { ref, type Ref } from 'vue'
import type { Parameters } from '@/api/client'
import { fetchProfiles, pathOf, type Profile, type Waiting } from '@/api/profiles'
import { useAnswer, type Answer } from '@/state/answer'
import { waitedAnswer } from './asking'

export interface ProfileAnswer<T> extends Answer<T> {
  /** How the analysis stands while the answer has to wait for it. */
  readonly waiting: Readonly<Ref<Waiting | null>>
}

/** `question` is null while nothing is to be asked. What is shown stays until the next answer is there. */
export function useProfileAnswer<T>(
  question: () => { readonly profile: string; readonly part: string; readonly parameters?: Parameters } | null, settleMs = 0,
): ProfileAnswer<T> {
  return useWaitedAnswer<T>(() => {
    const asked = question()
    return asked && { path: pathOf(asked.profile, asked.part), ...(asked.parameters && { parameters: asked.parameters }) }
  }, settleMs)
}

/** The same of anything that recordings have to be analysed for. */
export function useWaitedAnswer<T>(question: () => { readonly path: string; readonly parameters?: Parameters } | null, settleMs = 0): ProfileAnswer<T> {
  const waiting = ref<Waiting | null>(null)
  const answer = useAnswer<T>({
    key: () => JSON.stringify(question()),
    // A recording stays as it is; one that is written anew has another id for its answers.
    concerns: () => false,
    settleMs,
    ask: async (signal) => {
      const asked = question()
      if (!asked) throw new DOMException('nothing is asked', 'AbortError')
      const found = await waitedAnswer<T>(asked.path, asked.parameters ?? {}, signal, (how) => (waiting.value = how))
      waiting.value = null
      return found
    },
  })
  return { ...answer, waiting }
}

/** The profiles of a run, or of all runs. */
export function useProfiles(run: () => string | null): Answer<readonly Profile[]> {
  return useAnswer<readonly Profile[]>({ key: () => run() ?? '', ask: (signal) => fetchProfiles(run(), signal) })
}
