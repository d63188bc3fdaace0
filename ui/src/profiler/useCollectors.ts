/** The trainings that are connected, asked for again and again while somebody looks. */

import { onScopeDispose, shallowRef, type ShallowRef } from 'vue'
import { fetchCollectors, type ConnectedTraining } from '@/api/collectors'
import { noteRefusal } from '@/state/live'

const BUSY_MS = 1000
const IDLE_MS = 8000

export function useCollectors(): { readonly trainings: Readonly<ShallowRef<readonly ConnectedTraining[]>>; refresh(): void } {
  const trainings = shallowRef<readonly ConnectedTraining[]>([])
  const abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function ask(): Promise<void> {
    clearTimeout(timer)
    let pause = IDLE_MS
    if (!document.hidden) {
      try {
        const { is_open, collectors } = await fetchCollectors(abort.signal)
        trainings.value = collectors.filter(({ can_profile }) => can_profile)
        if (!is_open) return
        pause = collectors.length > 0 ? BUSY_MS : IDLE_MS
      } catch (problem) {
        noteRefusal(problem)
        trainings.value = []
      }
    }
    if (!abort.signal.aborted) timer = setTimeout(ask, pause)
  }

  void ask()
  onScopeDispose(() => {
    abort.abort()
    clearTimeout(timer)
  })
  return { trainings, refresh: () => void ask() }
}
