/** Answers about a profile that may have to be analysed first. */

import { getJson, type Answer, type PathOf, type Place, type Query } from '@/base/api/client'
import { pause } from '@/base/api/latestRequest'
import { isWaiting, placeOf, type View, type ViewAnswer, type Waiting } from './api'

const ASK_MS = 400

type Waits = (waiting: Waiting) => void

/** `waits` hears how the analysis stands as long as the answer has to wait for it. */
export const answerOf = <V extends View>(
  profile: string,
  view: Place<V>,
  parameters: Query<`profiles/{id}/${V}`>,
  signal: AbortSignal,
  waits?: Waits,
): Promise<ViewAnswer<V>> => waitedAnswer(placeOf(profile, view), parameters, signal, waits)

/** The same of anything that recordings have to be analysed for. */
export async function waitedAnswer<P extends PathOf<'get'>>(
  place: Place<P>,
  parameters: Query<P>,
  signal: AbortSignal,
  waits: Waits = () => undefined,
): Promise<Answer<P>> {
  for (;;) {
    const answer: Answer<P> | Waiting = await getJson(place, parameters, signal)
    if (!isWaiting(answer)) return answer
    waits(answer)
    await pause(ASK_MS, signal)
  }
}
