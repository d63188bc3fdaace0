/** Answers about a profile that may have to be analysed first. */

import type { Parameters } from '@/api/client'
import { askProfile, isWaiting, type Waiting } from '@/api/profiles'

const ASK_MS = 400

/** `waits` hears how the analysis stands as long as the answer has to wait for it. */
export async function answerOf<T>(profile: string, part: string, parameters: Parameters, signal: AbortSignal, waits: (waiting: Waiting) => void = () => undefined): Promise<T> {
  for (;;) {
    const found = await askProfile<T>(profile, part, parameters, signal)
    if (!isWaiting(found)) return found
    waits(found)
    await pause(ASK_MS, signal)
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new DOMException('nobody waits any more', 'AbortError'))
    })
  })
