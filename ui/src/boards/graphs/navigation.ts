/** Opening, closing and finding nodes: what a page does when somebody acts on its graph. */

import { computed, nextTick, ref, shallowRef, watch, type Ref } from 'vue'
import { ApiError, isAbort } from '@/base/api/client'
import { errorText } from '@/base/api/errorText'
import type { ViewState } from '@/base/url/useView'
import type { Plan } from '@/plot/graph/layout/plan'
import { isAuxiliary } from '@/plot/graph/model'
import type { Composed } from '@/plot/graph/useScene'
import { fetchNode, type GraphInfo } from './api'
import type { GraphView } from './graphView'
import { MOST_CHILDREN, type Levels } from './levels'
import { graphWords as w } from './words'

export interface GraphNavigation {
  readonly selected: Readonly<Ref<string | null>>
  /** The node that stays in its place when the scene changes. */
  readonly anchor: Readonly<Ref<string | null>>
  /** Why somebody did not get where they wanted. */
  readonly message: Ref<string>
  select(name: string | null): void
  toggle(name: string): void
  closeAll(): void
  more(scope: string): Promise<void>
  /** Opens the scopes around a node, chooses it and brings it into sight; `path` where it is known. */
  reveal(name: string, path?: readonly string[]): Promise<void>
}

interface Ground {
  readonly run: () => string | null
  readonly info: () => GraphInfo | null
  readonly state: ViewState<GraphView>
  readonly levels: Levels
  readonly plan: () => Plan | null
  readonly composed: Composed
  /** Brings a node that is drawn into the middle. */
  readonly show: (name: string) => void
}

export function useGraphNavigation({
  run,
  info,
  state: { view, update },
  levels,
  plan,
  composed,
  show,
}: Ground): GraphNavigation {
  // Ports come and go with the scopes around them; they are no part of an address.
  const port = ref<string | null>(null)
  const anchor = ref<string | null>(null)
  const message = ref('')
  const pendingGoal = shallowRef<{ readonly name: string; readonly path: readonly string[] } | null>(null)
  const selected = computed(() => port.value ?? view.value.node)

  function select(name: string | null): void {
    message.value = ''
    port.value = name !== null && composed.scene.value.byName.get(name)?.port ? name : null
    const node = port.value === null ? name : null
    if (node !== view.value.node) update({ node }, 'refine')
  }

  function toggle(name: string): void {
    anchor.value = name
    const { open } = view.value
    update({ open: open.includes(name) ? open.filter((scope) => scope !== name) : [...open, name] })
  }

  async function reveal(name: string, path?: readonly string[]): Promise<void> {
    select(name)
    if (composed.scene.value.byName.has(name)) return show(name)
    const [id, graph] = [run(), info()?.graph]
    if (id === null || graph === undefined) return
    try {
      const way = path ?? (await fetchNode(id, graph, name)).path
      anchor.value = null
      pendingGoal.value = { name, path: way }
      const open = way.filter((scope) => scope !== '' && !view.value.open.includes(scope))
      if (open.length > 0) update({ open: [...view.value.open, ...open] })
      await arrive()
    } catch (problem) {
      if (isAbort(problem)) return
      message.value =
        problem instanceof ApiError && problem.status === 404 ? w.value.notDrawn(name) : errorText(problem)
    }
  }

  /** Goes on to what is wanted as far as it is known: its scopes, the part of them that holds it, the drawing. */
  async function arrive(): Promise<void> {
    const goal = pendingGoal.value
    if (!goal) return
    if (composed.scene.value.byName.has(goal.name)) {
      pendingGoal.value = null
      await nextTick() // the stage has the new scene
      return show(goal.name)
    }
    const loaded = levels.levels.value
    const scopes = goal.path.length > 0 ? goal.path : ['']
    if (scopes.some((scope) => !loaded.has(scope) && !levels.errors.has(scope))) return
    const level = loaded.get(scopes[scopes.length - 1]!)
    const node = level?.nodes.find(({ name }) => name === goal.name)
    if (level && !node && level.nodes.length < Math.min(level.total, MOST_CHILDREN))
      return levels.more(level.scope)
    if (composed.plan.value !== plan()) return
    if (node && view.value.auxiliaries !== 'nodes' && isAuxiliary({ look: node.kind }))
      return update({ auxiliaries: 'nodes' }, 'default')
    pendingGoal.value = null
    message.value = w.value.notDrawn(goal.name)
  }
  watch([composed.scene, composed.plan, levels.levels, () => levels.errors.size], () => void arrive(), {
    flush: 'post',
  })

  return {
    selected,
    anchor,
    message,
    select,
    toggle,
    reveal,
    closeAll: () => {
      anchor.value = null
      update({ open: [], at: null })
    },
    more: (scope) => {
      anchor.value = scope || null
      return levels.more(scope)
    },
  }
}
