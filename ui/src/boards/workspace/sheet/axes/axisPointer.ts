/** The row of a plot that somebody points at, by pointer or by keyboard. */

import { shallowRef, watch, type ShallowRef } from 'vue'

/** A row that somebody points at, and where in the window. */
export interface PointedRow {
  readonly row: number
  readonly clientX: number
  readonly clientY: number
}

/** The next of the kept rows after `from`, in the direction of `by`; null when there are none. */
export function nextKept(kept: Uint8Array, from: number | null, by: 1 | -1): number | null {
  const count = kept.length
  let row = from ?? (by > 0 ? -1 : count)
  for (let tries = 0; tries < count; tries++) {
    row = (row + by + count) % count
    if (kept[row]) return row
  }
  return null
}

export interface Pointing {
  readonly pointed: Readonly<ShallowRef<number | null>>
  point(row: number | null, clientX?: number, clientY?: number): void
  /** Up and down go from row to row, Enter ticks one, Escape points at none. */
  key(event: KeyboardEvent): void
}

interface Ground {
  readonly kept: () => Uint8Array
  /** What the rows are drawn on. */
  readonly canvas: () => HTMLElement | null
  readonly report: (place: PointedRow | null) => void
  readonly tick: (row: number) => void
}

export function usePointing({ kept, canvas, report, tick }: Ground): Pointing {
  const pointed = shallowRef<number | null>(null)

  function point(row: number | null, clientX = 0, clientY = 0): void {
    if (row === null && pointed.value === null) return
    pointed.value = row
    report(row === null ? null : { row, clientX, clientY })
  }
  // Other rows are no longer those that were pointed at.
  watch(kept, () => point(null))

  function key(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const row = nextKept(kept(), pointed.value, event.key === 'ArrowDown' ? 1 : -1)
      const box = canvas()!.getBoundingClientRect()
      point(row, box.left + box.width / 2, box.top + box.height / 2)
    } else if (event.key === 'Enter' && pointed.value !== null) tick(pointed.value)
    else if (event.key === 'Escape' && pointed.value !== null) {
      point(null)
      event.stopPropagation()
    } else return
    event.preventDefault()
  }

  return { pointed, point, key }
}
