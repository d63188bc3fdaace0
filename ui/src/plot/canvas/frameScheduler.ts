/** Drawing at most once a frame. */

import { onUnmounted } from 'vue'

export interface Frame {
  /** Draw in the next frame, however often this is called until then. */
  schedule(): void
  /** Draw at once what is scheduled, for input that has to meet the chart as it is now. */
  flush(): void
}

export function useFrame(draw: () => void): Frame {
  let request = 0
  const run = (): void => {
    request = 0
    draw()
  }
  onUnmounted(() => cancelAnimationFrame(request))
  return {
    schedule() {
      if (request === 0) request = requestAnimationFrame(run)
    },
    flush() {
      if (request === 0) return
      cancelAnimationFrame(request)
      run()
    },
  }
}
