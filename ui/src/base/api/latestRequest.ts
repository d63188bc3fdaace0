/** Requests that replace each other: a new one cancels the one before. */

import { onScopeDispose } from 'vue'

export class LatestRequest {
  private controller: AbortController | null = null

  /** The signal of a new request. */
  start(): AbortSignal {
    this.cancel()
    this.controller = new AbortController()
    return this.controller.signal
  }

  cancel(): void {
    this.controller?.abort()
    this.controller = null
  }
}

/** Cancelled when the current scope ends. */
export function useLatestRequest(): LatestRequest {
  const request = new LatestRequest()
  onScopeDispose(() => request.cancel())
  return request
}

/** Rejects with an AbortError as soon as the signal fires. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new DOMException('cancelled', 'AbortError'))
    })
  })
