/** Keys that are held down move the view evenly, as long as they are. */

import { onScopeDispose } from 'vue'

export type HeldKey = 'in' | 'out' | 'left' | 'right'

export interface HeldKeys {
  press(key: HeldKey): void
  release(key: HeldKey): void
  stop(): void
}

/** What a short tap does, in seconds of holding. */
const TAP = 0.06

/** `move` is told what is held and for how many seconds since it was told last. */
export function useHeldKeys(move: (pressed: ReadonlySet<HeldKey>, seconds: number) => void): HeldKeys {
  const pressed = new Set<HeldKey>()
  let frame = 0
  let before = 0

  function tick(now: number): void {
    move(pressed, Math.min(0.1, (now - before) / 1000))
    before = now
    frame = pressed.size > 0 ? requestAnimationFrame(tick) : 0
  }
  function stop(): void {
    pressed.clear()
    cancelAnimationFrame(frame)
    frame = 0
  }
  onScopeDispose(stop)

  return {
    press(key) {
      if (pressed.has(key)) return
      pressed.add(key)
      move(new Set([key]), TAP)
      if (frame !== 0) return
      before = performance.now()
      frame = requestAnimationFrame(tick)
    },
    release: (key) => void pressed.delete(key),
    stop,
  }
}
