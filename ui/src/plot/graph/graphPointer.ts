/** Mouse, touch and wheel on a stage: dragging moves, two fingers and the wheel zoom, what did not move is a click. */

export interface Pointing {
  /** In pixels of the element. */
  drag(dx: number, dy: number): void
  zoom(by: number, x: number, y: number): void
  click(x: number, y: number): void
  hover(x: number, y: number): void
}

/** Pixels that a click may shake. */
const STILL = 4

export interface Handlers {
  pointerdown(event: PointerEvent): void
  pointermove(event: PointerEvent): void
  pointerup(event: PointerEvent): void
  pointercancel(event: PointerEvent): void
  wheel(event: WheelEvent): void
}

export function pointingHandlers({ drag, zoom, click, hover }: Pointing): Handlers {
  const down = new Map<number, { x: number; y: number }>()
  let moved = 0

  const release = (event: PointerEvent): boolean => down.delete(event.pointerId)
  return {
    pointerdown(event) {
      if (event.button !== 0 && event.button !== 1) return
      const element = event.currentTarget as HTMLElement
      element.setPointerCapture(event.pointerId)
      if (down.size === 0) moved = 0
      down.set(event.pointerId, { x: event.clientX, y: event.clientY })
    },
    pointermove(event) {
      const [x, y] = placeIn(event)
      const from = down.get(event.pointerId)
      if (!from) return hover(x, y)
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y]
      const others = [...down].filter(([id]) => id !== event.pointerId).map(([, place]) => place)
      if (others.length > 0) {
        const other = others[0]!
        const distance = (at: { x: number; y: number }): number => Math.hypot(at.x - other.x, at.y - other.y)
        const by = distance({ x: event.clientX, y: event.clientY }) / Math.max(1, distance(from))
        const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
        drag(dx / 2, dy / 2)
        zoom(by, (event.clientX + other.x) / 2 - box.left, (event.clientY + other.y) / 2 - box.top)
        moved = Infinity
      } else {
        moved += Math.abs(dx) + Math.abs(dy)
        if (moved > STILL) drag(dx, dy)
      }
      down.set(event.pointerId, { x: event.clientX, y: event.clientY })
    },
    pointerup(event) {
      if (!release(event) || moved > STILL || event.button !== 0) return
      click(...placeIn(event))
    },
    pointercancel: release,
    wheel(event) {
      event.preventDefault()
      // Lines and pages, as some mice count, are about 16 and 400 pixels; pinching on a touchpad comes in small steps.
      const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1)
      zoom(
        Math.exp(-Math.max(-300, Math.min(300, pixels)) * (event.ctrlKey ? 0.01 : 0.0016)),
        ...placeIn(event),
      )
    },
  }
}

function placeIn(event: MouseEvent): readonly [number, number] {
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect()
  return [event.clientX - box.left, event.clientY - box.top]
}
