/** Where everything is in one scope, that scope alone says nothing: it opens by itself when its graph comes into sight. */

import { watch } from 'vue'
import type { ViewState } from '@/state/useView'
import type { Levels } from './levels'
import type { GraphView } from './view'

const DEEPEST = 8

export function useFirstScopes({ view, update }: ViewState<GraphView>, { levels }: Levels): void {
  let graph = ''
  let opened: readonly string[] = []
  watch(levels, (known) => {
    const top = known.get('')
    if (!top) return
    if (top.graph !== graph) [graph, opened] = [top.graph, []]
    // Whoever has opened, closed or moved something wants it so.
    if (view.value.at !== null || view.value.open.join('\n') !== opened.join('\n') || opened.length >= DEEPEST) return
    const deepest = known.get(opened[opened.length - 1] ?? '')
    const only = deepest?.total === 1 ? deepest.nodes[0] : undefined
    if (!only || only.inside === 0) return
    opened = [...opened, only.name]
    update({ open: opened }, 'default')
  }, { flush: 'sync' })
}
