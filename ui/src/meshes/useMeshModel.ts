/** The mesh that a pane shows: fetched as bytes, and kept until the next is ready. */

import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import { ApiError, isAbort } from '@/api/client'
import { fetchArray, type MeshPart } from '@/api/meshes'
import type { NumberArray } from '@/api/npy'
import { errorText } from '@/components/errorText'
import { meshModel, type MeshModel } from './model'
import type { MeshAt } from './parts'

interface Arrays {
  readonly vertices: NumberArray
  readonly faces: NumberArray | null
  readonly colors: NumberArray | null
}

export interface MeshLoading {
  readonly model: Readonly<Ref<MeshModel | null>>
  /** Why there is none. */
  readonly problem: Readonly<Ref<string>>
  /** Why it is without its faces or colours. */
  readonly missing: Readonly<Ref<readonly string[]>>
  readonly isBusy: Readonly<Ref<boolean>>
}

const reasonOf = (error: unknown): string => (error instanceof Error && !(error instanceof ApiError) ? error.message : errorText(error))

async function load(part: MeshPart, signal: AbortSignal): Promise<NumberArray> {
  if (part.url === null) throw new Error(part.error ?? '')
  return fetchArray(part.url, signal)
}

export function useMeshModel(mesh: () => MeshAt, index: () => number): MeshLoading {
  const arrays = shallowRef<Arrays | null>(null)
  const problem = ref('')
  const missing = ref<readonly string[]>([])
  const isBusy = ref(false)
  let abort: AbortController | null = null

  async function loadAll(): Promise<void> {
    abort?.abort()
    const mine = new AbortController()
    abort = mine
    isBusy.value = true
    const { vertices, faces, colors } = mesh()
    const reasons: string[] = []
    // Points can be seen without faces and colours, but not the other way round.
    const tryLoading = async (part: MeshPart | null): Promise<NumberArray | null> => {
      try {
        return part && (await load(part, mine.signal))
      } catch (error) {
        if (!isAbort(error)) reasons.push(reasonOf(error))
        return null
      }
    }
    try {
      const found = await Promise.all([load(vertices, mine.signal), tryLoading(faces), tryLoading(colors)])
      if (mine.signal.aborted) return
      arrays.value = { vertices: found[0], faces: found[1], colors: found[2] }
      problem.value = ''
    } catch (error) {
      if (mine.signal.aborted || isAbort(error)) return
      arrays.value = null
      problem.value = reasonOf(error)
    }
    missing.value = reasons
    isBusy.value = false
  }

  watch(() => JSON.stringify([mesh().vertices, mesh().faces, mesh().colors].map((part) => part && [part.url, part.error])), () => void loadAll(), { immediate: true })
  onScopeDispose(() => abort?.abort())

  const model = computed(() => arrays.value && meshModel(arrays.value.vertices, arrays.value.faces, arrays.value.colors, index()))
  return { model, problem, missing, isBusy }
}
