/** The view of the current page, tied to its address in both directions. */

import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import type { AddressParts } from './address'
import { useLeaving } from './leaving'

/** How a change shows in the browser's history: a step to come back to, a refinement of the last one, or what it meant anyway. */
export type Change = 'step' | 'refine' | 'default'

export interface ViewState<V> {
  readonly view: Readonly<ShallowRef<V>>
  update(patch: Partial<V>, change?: Change): void
}

/** How a kind of view is written in an address. */
export interface ViewFormat<V> {
  read(query: string, hash: string): V
  write(view: V): AddressParts
}

const WRITE_MS = 250
/** Steps that follow each other faster belong together, like the clicks of a double click. */
const ONE_STEP_MS = 400

export function useViewOf<V extends object>({ read, write: textsOf }: ViewFormat<V>): ViewState<V> {
  const route = useRoute()
  const router = useRouter()
  const own = route.path
  const isLeaving = useLeaving()

  const queryOf = (fullPath: string): string => /\?([^#]*)/.exec(fullPath)?.[1] ?? ''
  const view = shallowRef(read(queryOf(route.fullPath), route.hash)) as ShallowRef<V>
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastStep = -Infinity

  const textOf = (value: V): string => {
    const { query, hash } = textsOf(value)
    return `${query}#${hash}`
  }

  watch(
    () => route.fullPath,
    (fullPath) => {
      if (route.path !== own || timer !== undefined) return
      const next = read(queryOf(fullPath), route.hash)
      if (textOf(next) !== textOf(view.value)) view.value = next
    },
  )

  function write(change: Change): void {
    clearTimeout(timer)
    timer = undefined
    if (isLeaving()) return
    const target = locationAt(own, textsOf(view.value))
    const isNew = change === 'step' && performance.now() - lastStep > ONE_STEP_MS
    if (change === 'step') lastStep = performance.now()
    void (isNew ? router.push(target) : router.replace(target))
  }

  onScopeDispose(() => clearTimeout(timer))

  return {
    view,
    update(patch, change = 'step') {
      view.value = { ...view.value, ...patch }
      if (change !== 'refine') return write(change)
      clearTimeout(timer)
      timer = setTimeout(() => write('refine'), WRITE_MS)
    },
  }
}

export interface Location {
  readonly path: string
  readonly query: Record<string, string[]>
  readonly hash: string
}

export function locationAt(path: string, { query, hash }: AddressParts): Location {
  return { path, query: queryObject(query), hash: hash && `#${hash}` }
}

function queryObject(query: string): Record<string, string[]> {
  const values: Record<string, string[]> = {}
  for (const [key, value] of new URLSearchParams(query)) (values[key] ??= []).push(value)
  return values
}
