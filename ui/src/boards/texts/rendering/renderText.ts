/** Markdown of any length as a piece of page; loaded only when there is some to show. */

import { htmlOf } from './html'
import { pieceOf } from './htmlPiece'

/** Characters that are drawn faster than anybody sees. */
const QUICK = 10_000
/** Text written to keep Markdown readers busy is not waited for. */
const MOST_MS = 5_000

export const isQuick = (text: string): boolean => text.length <= QUICK

export const renderQuickly = (text: string): DocumentFragment => pieceOf(htmlOf(text))

/** Rejects when it takes too long, and with an AbortError when `signal` fires. */
export function render(text: string, signal: AbortSignal): Promise<DocumentFragment> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./htmlWorker.ts', import.meta.url), { type: 'module' })
    const timer = setTimeout(() => end(() => reject(new Error('too slow'))), MOST_MS)
    function end(then: () => void): void {
      clearTimeout(timer)
      worker.terminate()
      then()
    }
    signal.addEventListener('abort', () => end(() => reject(new DOMException('', 'AbortError'))), {
      once: true,
    })
    worker.onmessage = ({ data }: MessageEvent<string>) => end(() => resolve(pieceOf(data)))
    worker.onerror = () => end(() => reject(new Error('the worker failed')))
    worker.postMessage(text)
  })
}
