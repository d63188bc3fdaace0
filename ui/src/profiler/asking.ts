/** Answers about a profile that may have to be analysed first. */

import { getJson, type Parameters } from '@/api/client'
import { isWaiting, pathOf, type Waiting } from '@/api/profiles'

const ASK_MS = 400

type Waits = (waiting: Waiting) => void

/** `waits` hears how the analysis stands as long as the answer has to wait for it. */
export const answerOf = <T>(profile: string, part: string, parameters: Parameters, signal: AbortSignal, waits?: Waits): Promise<T> =>
  waitedAnswer<T>(pathOf(profile, part), parameters, signal, waits)

/** The same of anything that recordings have to be analysed for. */
export async function waitedAnswer<T>(path: string, parameters: Parameters, signal: AbortSignal, waits: Waits = () => undefined): Promise<T> {
  for (;;) {
    const found = await getJson(path, parameters, signal)
    if (!isWaiting(found)) return found as T
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
