/** The contents of open scopes, fetched as they are opened. */

import { computed, shallowReactive, shallowRef, watch, type Ref } from 'vue'
import { fetchLevel, type GraphInfo, type GraphLevel } from './api'
import { isAbort } from '@/base/api/client'
import { useLatestRequest } from '@/base/api/latestRequest'
import { noteRefusal } from '@/base/api/live'

/** Children of a scope that come at once; the next portion is as large as all before it. */
const PORTION = 400
/** More would be no drawing any more. */
export const MOST_CHILDREN = 6400

export interface Levels {
  /** What is known, by scope; '' is the top. */
  readonly levels: Readonly<Ref<ReadonlyMap<string, GraphLevel>>>
  readonly errors: ReadonlyMap<string, unknown>
  readonly isLoading: Readonly<Ref<boolean>>
  /** Shows more children of a scope; resolves when they are there. */
  more(scope: string): Promise<void>
  retry(): void
}

export function useLevels(
  run: () => string | null,
  info: () => GraphInfo | null,
  open: () => readonly string[],
): Levels {
  const levels = shallowRef<ReadonlyMap<string, GraphLevel>>(new Map())
  const errors = shallowReactive(new Map<string, unknown>())
  const requested = shallowReactive(new Set<string>())
  const limits = new Map<string, number>()
  const request = useLatestRequest()
  let signal = request.start()

  async function load(scope: string): Promise<void> {
    const [id, graph, own] = [run(), info()?.graph, signal]
    if (id === null || graph === undefined || requested.has(scope)) return
    requested.add(scope)
    try {
      const level = await fetchLevel(id, graph, scope, limits.get(scope) ?? PORTION, own)
      if (own.aborted) return
      levels.value = new Map(levels.value).set(scope, level)
      errors.delete(scope)
    } catch (problem) {
      if (isAbort(problem) || own.aborted) return
      noteRefusal(problem)
      errors.set(scope, problem)
    }
    requested.delete(scope)
  }

  const loadMissing = (): void => {
    for (const scope of ['', ...open()]) if (!levels.value.has(scope) && !errors.has(scope)) void load(scope)
  }

  // A graph that was written anew is read anew; what is known of it stays in sight until then.
  const versionOf = (graph: GraphInfo | null): string => (graph ? `${graph.bytes} ${graph.wall_time}` : '')
  watch(
    () => [run(), info()?.graph, versionOf(info())] as const,
    (now, before) => {
      signal = request.start()
      requested.clear()
      errors.clear()
      if (before && before[0] === now[0] && before[1] === now[1]) {
        for (const scope of ['', ...open()]) void load(scope)
        return
      }
      levels.value = new Map()
      limits.clear()
      loadMissing()
    },
    { immediate: true },
  )
  watch(() => open().join('\n'), loadMissing)

  return {
    levels,
    errors,
    isLoading: computed(() => requested.size > 0),
    async more(scope) {
      const level = levels.value.get(scope)
      if (!level || level.nodes.length >= Math.min(level.total, MOST_CHILDREN)) return
      limits.set(scope, Math.min(MOST_CHILDREN, (limits.get(scope) ?? PORTION) * 2))
      await load(scope)
    },
    retry() {
      errors.clear()
      loadMissing()
    },
  }
}
