/** A graph of a few closed scopes says nothing: its scopes open by themselves, until there is something to look at. */

import { watch } from 'vue'
import type { ViewState } from '@/base/url/useView'
import type { GraphView } from './graphView'
import type { GraphLevel } from './api'
import type { Levels } from './levels'

const MOST_OPENED = 12
/** A graph that begins with more nodes is left as it is. */
const FEW = 3
/** Enough to look at. */
const ENOUGH = 15

/** The scope to open next, once those opened before are known; null: there is enough to look at. */
export function nextScope(loaded: ReadonlyMap<string, GraphLevel>, opened: readonly string[]): string | null {
  const levels = ['', ...opened].map((scope) => loaded.get(scope))
  const top = levels[0]
  if (!top || levels.includes(undefined) || top.total > FEW || opened.length >= MOST_OPENED) return null
  const nodes = levels.reduce((sum, level) => sum + level!.total, -opened.length)
  if (nodes >= ENOUGH) return null
  const closed = levels
    .flatMap((level) => level!.nodes)
    .filter(({ name, inside }) => inside > 0 && !opened.includes(name))
  const largest = closed.reduce<(typeof closed)[number] | null>(
    (best, node) => (best && best.inside >= node.inside ? best : node),
    null,
  )
  return largest?.name ?? null
}

export function useFirstScopes({ view, update }: ViewState<GraphView>, { levels }: Levels): void {
  let graph = ''
  let opened: readonly string[] = []
  watch(
    levels,
    (loaded) => {
      const top = loaded.get('')
      if (!top) return
      if (top.graph !== graph) [graph, opened] = [top.graph, []]
      // Whoever has opened, closed or moved something wants it so.
      if (view.value.at !== null || view.value.open.join('\n') !== opened.join('\n')) return
      const next = nextScope(loaded, opened)
      if (next === null) return
      opened = [...opened, next]
      update({ open: opened }, 'default')
    },
    { flush: 'sync' },
  )
}
