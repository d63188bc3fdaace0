/** The mesh that a pane shows: fetched as bytes, and kept until the next is ready. */

import { computed, type Ref } from 'vue'
import { ApiError, isAbort } from '@/base/api/client'
import { errorText } from '@/base/api/errorText'
import { useQuery } from '@/base/api/query'
import type { NumberArray } from '@/base/npy'
import { fetchArray, type MeshPart } from './api'
import { meshModel, type MeshModel } from './meshModel'
import type { MeshAt } from './meshParts'

interface Arrays {
  readonly vertices: NumberArray
  readonly faces: NumberArray | null
  readonly colors: NumberArray | null
  /** Why it is without its faces or colours. */
  readonly missing: readonly string[]
}

export interface MeshLoading {
  readonly model: Readonly<Ref<MeshModel | null>>
  /** Why there is none. */
  readonly problem: Readonly<Ref<string>>
  /** Why it is without its faces or colours. */
  readonly missing: Readonly<Ref<readonly string[]>>
  readonly isBusy: Readonly<Ref<boolean>>
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && !(error instanceof ApiError) ? error.message : errorText(error)

async function load(part: MeshPart, signal: AbortSignal): Promise<NumberArray> {
  if (part.url === null) throw new Error(part.error ?? '')
  return fetchArray(part.url, signal)
}

export function useMeshModel(mesh: () => MeshAt, index: () => number): MeshLoading {
  const partsKey = ({ vertices, faces, colors }: MeshAt): string =>
    JSON.stringify([vertices, faces, colors].map((part) => part && [part.url, part.error]))
  const { answer, error, isLoading } = useQuery<Arrays>({
    key: () => partsKey(mesh()),
    async fetch(signal) {
      const { vertices, faces, colors } = mesh()
      const missing: string[] = []
      // Points can be seen without faces and colours, but not the other way round.
      const tryLoading = async (part: MeshPart | null): Promise<NumberArray | null> => {
        try {
          return part && (await load(part, signal))
        } catch (error) {
          if (!isAbort(error)) missing.push(reasonOf(error))
          return null
        }
      }
      const arrays = await Promise.all([load(vertices, signal), tryLoading(faces), tryLoading(colors)])
      return { vertices: arrays[0], faces: arrays[1], colors: arrays[2], missing }
    },
    concerns: () => false,
  })
  const arrays = computed(() => (error.value === null ? answer.value : null))
  const model = computed(
    () => arrays.value && meshModel(arrays.value.vertices, arrays.value.faces, arrays.value.colors, index()),
  )
  return {
    model,
    problem: computed(() => (error.value === null ? '' : reasonOf(error.value))),
    missing: computed(() => arrays.value?.missing ?? []),
    isBusy: isLoading,
  }
}
