/** The trainings that are connected, asked for again and again while somebody looks. */

import { onScopeDispose, shallowRef, type ShallowRef } from 'vue'
import { useLatestRequest } from '@/base/api/latestRequest'
import { noteRefusal } from '@/base/api/live'
import { fetchCollectors, type ConnectedTraining } from './collectorsApi'

const BUSY_MS = 1000
const IDLE_MS = 8000

export function useCollectors(): {
  readonly trainings: Readonly<ShallowRef<readonly ConnectedTraining[]>>
  refresh(): void
} {
  const trainings = shallowRef<readonly ConnectedTraining[]>([])
  const signal = useLatestRequest().start()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function ask(): Promise<void> {
    clearTimeout(timer)
    let pause = IDLE_MS
    if (!document.hidden) {
      try {
        const { is_open, collectors } = await fetchCollectors(signal)
        trainings.value = collectors.filter(({ can_profile }) => can_profile)
        if (!is_open) return
        pause = collectors.length > 0 ? BUSY_MS : IDLE_MS
      } catch (problem) {
        noteRefusal(problem)
        trainings.value = []
      }
    }
    if (!signal.aborted) timer = setTimeout(ask, pause)
  }

  void ask()
  onScopeDispose(() => clearTimeout(timer))
  return { trainings, refresh: () => void ask() }
}
