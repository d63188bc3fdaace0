/** Saving all files of a card as one archive, with progress. */

import { ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import { isAbort } from '@/base/api/client'
import { useLatestRequest } from '@/base/api/latestRequest'
import { formatCount } from '@/base/numbers'
import { fileName, saveBlob } from '@/base/saveFile'
import type { Frames, Stepped } from '@/board/steps/frames'
import { archive, type Entry } from './archive'

export interface Progress {
  readonly done: string
  readonly all: string
}

export interface SavingAll {
  /** Null while nothing is being saved. */
  readonly progress: Readonly<ShallowRef<Progress | null>>
  /** How many files could not be had in the end; `failed` when there is no archive at all. */
  readonly left: Readonly<Ref<number | 'failed'>>
  save(entries: readonly Entry[], title: string): Promise<void>
  cancel(): void
}

export function useSavingAll(): SavingAll {
  const progress = shallowRef<Progress | null>(null)
  const left = ref<number | 'failed'>(0)
  const request = useLatestRequest()

  async function save(entries: readonly Entry[], title: string): Promise<void> {
    left.value = 0
    const note = (done: number): void => {
      progress.value = { done: formatCount(done), all: formatCount(entries.length) }
    }
    note(0)
    try {
      const { blob, missing } = await archive(entries, request.start(), note)
      saveBlob(blob, fileName(title, 'zip'))
      left.value = missing
    } catch (error) {
      if (!isAbort(error)) left.value = 'failed'
    } finally {
      progress.value = null
    }
  }

  return { progress, left, save, cancel: () => request.cancel() }
}

interface Filed extends Stepped {
  readonly url: string | null
  readonly wall_time: number | string
}

/** A folder for each pane, a file for each item that has one. */
export function entriesOf(
  panes: readonly { readonly name: string; readonly frames: Frames<Filed> }[],
): readonly Entry[] {
  const folders = new Set<string>()
  return panes.flatMap(({ name, frames }) => {
    const safe = fileName(name, '').slice(0, -1)
    let folder = safe
    for (let i = 2; folders.has(folder); i++) folder = `${safe}_${i}`
    folders.add(folder)
    return [...frames.at.values()].flat().flatMap(({ url, step, index = 0, wall_time }) =>
      url === null
        ? []
        : [
            {
              url,
              name: `${folder}/${step}${index > 0 ? `_${index}` : ''}`,
              time: new Date(Number(wall_time) * 1000),
            },
          ],
    )
  })
}
