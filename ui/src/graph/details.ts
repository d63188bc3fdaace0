/** What is known of one node. */

import { onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import { isAbort } from '@/api/client'
import { fetchNode, type NodeDetails } from '@/api/graphs'
import { noteRefusal } from '@/state/live'

export interface Details {
  readonly details: Readonly<Ref<NodeDetails | null>>
  readonly error: Readonly<Ref<unknown>>
  retry(): void
}

/** `which` is run, graph and name, or null for none. */
export function useDetails(which: () => readonly [string, string, string] | null): Details {
  const details = shallowRef<NodeDetails | null>(null)
  const error = shallowRef<unknown>(null)
  let abort = new AbortController()

  async function load(): Promise<void> {
    abort.abort()
    abort = new AbortController()
    const asked = which()
    error.value = null
    if (!asked || details.value?.node.name !== asked[2]) details.value = null
    if (!asked) return
    try {
      details.value = await fetchNode(...asked, abort.signal)
    } catch (problem) {
      if (isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
  }
  watch(() => which()?.join('\n'), () => void load(), { immediate: true })
  onScopeDispose(() => abort.abort())
  return { details, error, retry: () => void load() }
}
