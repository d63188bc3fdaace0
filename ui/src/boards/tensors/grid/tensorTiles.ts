/** Cells of a large table: fetched by tiles as they come into view. */

import { ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { isAbort } from '@/base/api/client'
import { useLatestRequest } from '@/base/api/latestRequest'
import { noteRefusal } from '@/base/api/live'
import type { Entry, Window } from '@/boards/tensors/api'

/** Where the cells of one table come from. */
export interface CellSource {
  /** The same for the same cells. */
  readonly key: string
  readonly rows: number
  readonly columns: number
  fetch(cells: Window, signal: AbortSignal): Promise<readonly (readonly Entry[])[]>
}

export interface Cells {
  /** Grows whenever there are other cells to be seen. */
  readonly version: Readonly<Ref<number>>
  readonly error: Readonly<ShallowRef<unknown>>
  /** Whether cells in view are still to come. */
  readonly isBusy: Readonly<Ref<boolean>>
  at(row: number, column: number): Entry | undefined
  /** Say which cells are in view: rows and columns, the last ones excluded. */
  look(top: number, bottom: number, left: number, right: number): void
  retry(): void
}

const TILE = 64
const MOST_TILES = 60

type Tiles = Map<string, readonly (readonly Entry[])[]>

/** Old cells stay until all in view of the new source are there. */
export function useCells(source: () => CellSource | null): Cells {
  const version = ref(0)
  const error = shallowRef<unknown>(null)
  const isBusy = ref(false)
  const request = useLatestRequest()
  let current: { readonly source: CellSource; readonly tiles: Tiles } | null = null
  let next: {
    readonly source: CellSource
    readonly tiles: Tiles
    readonly signal: AbortSignal
    readonly asked: Set<string>
  } | null = null
  let view = { top: 0, bottom: 1, left: 0, right: 1 }

  function wanted({ rows, columns }: CellSource): readonly (readonly [number, number])[] {
    const places: (readonly [number, number])[] = []
    for (let y = Math.floor(view.top / TILE); y * TILE < Math.min(view.bottom, rows); y++) {
      for (let x = Math.floor(view.left / TILE); x * TILE < Math.min(view.right, columns); x++)
        places.push([y, x])
    }
    return places
  }

  function fill(): void {
    if (!next) return
    for (const [y, x] of wanted(next.source)) {
      const name = `${y} ${x}`
      if (next.tiles.has(name) || next.asked.has(name)) continue
      next.asked.add(name)
      void load(next, y, x, name)
    }
    settle()
  }

  async function load(into: NonNullable<typeof next>, y: number, x: number, name: string): Promise<void> {
    const { rows, columns } = into.source
    const cells = {
      row: y * TILE,
      rows: Math.min(TILE, rows - y * TILE),
      column: x * TILE,
      columns: Math.min(TILE, columns - x * TILE),
    }
    try {
      const values = await into.source.fetch(cells, into.signal)
      if (into !== next) return
      into.tiles.set(name, values)
      forget(into.tiles)
      error.value = null
    } catch (problem) {
      if (into !== next || isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    } finally {
      into.asked.delete(name)
    }
    settle()
  }

  /** The oldest tiles that are out of view. */
  function forget(tiles: Tiles): void {
    if (tiles.size <= MOST_TILES || !next) return
    const needed = new Set(wanted(next.source).map(([y, x]) => `${y} ${x}`))
    for (const name of tiles.keys()) {
      if (tiles.size <= MOST_TILES) return
      if (!needed.has(name)) tiles.delete(name)
    }
  }

  function settle(): void {
    if (!next) return
    const { source: own, tiles } = next
    const isComplete = wanted(own).every(([y, x]) => tiles.has(`${y} ${x}`))
    isBusy.value = !isComplete && error.value === null
    if (!isComplete && current?.source !== own) return
    current = { source: own, tiles }
    version.value++
  }

  function begin(from: CellSource | null): void {
    error.value = null
    next = from && { source: from, tiles: new Map(), signal: request.start(), asked: new Set() }
    if (!from) {
      request.cancel()
      current = null
      version.value++
    }
    fill()
  }

  watch(
    () => source()?.key ?? null,
    () => begin(source()),
    { immediate: true },
  )

  return {
    version,
    error,
    isBusy,
    at: (row, column) =>
      current?.tiles.get(`${Math.floor(row / TILE)} ${Math.floor(column / TILE)}`)?.[row % TILE]?.[
        column % TILE
      ],
    look(top, bottom, left, right) {
      view = { top, bottom, left, right }
      fill()
    },
    retry: () => begin(source()),
  }
}
