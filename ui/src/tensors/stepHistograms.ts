/** Statistics and histograms of the tensors that a card shows, one for each of its panes. */

import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { isAbort } from '@/api/client'
import { fetchTensorHistogram, type TensorHistogram, type TensorPlace } from '@/api/tensors'
import { noteRefusal } from '@/state/live'

export interface StepHistogram {
  /** What it is of, and which pane it belongs to. */
  readonly place: TensorPlace
  readonly key: string
  /** null when it could not be made, and `error` says why. */
  readonly histogram: TensorHistogram | null
  readonly error: unknown
}

export interface StepHistograms {
  readonly found: Readonly<ShallowRef<ReadonlyMap<string, StepHistogram>>>
  readonly isBusy: Readonly<Ref<boolean>>
}

/** What is shown stays until all of the next are there. */
export function useStepHistograms(places: () => readonly { readonly key: string; readonly place: TensorPlace }[], isActive: () => boolean): StepHistograms {
  const found = shallowRef<ReadonlyMap<string, StepHistogram>>(new Map())
  const isBusy = ref(false)
  let abort: AbortController | null = null

  async function ask(key: string, place: TensorPlace, signal: AbortSignal): Promise<StepHistogram> {
    try {
      return { key, place, histogram: await fetchTensorHistogram(place, signal), error: null }
    } catch (error) {
      if (isAbort(error)) throw error
      noteRefusal(error)
      return { key, place, histogram: null, error }
    }
  }

  async function load(): Promise<void> {
    abort?.abort()
    const mine = (abort = new AbortController())
    isBusy.value = true
    try {
      const answers = await Promise.all(places().map(({ key, place }) => ask(key, place, mine.signal)))
      if (!mine.signal.aborted) found.value = new Map(answers.map((answer) => [answer.key, answer]))
    } catch {
      // Only what was given up for something newer ends here.
    } finally {
      if (abort === mine) isBusy.value = false
    }
  }

  watch(() => (isActive() ? JSON.stringify(places()) : null), (wanted) => {
    if (wanted !== null) void load()
  }, { immediate: true })
  onScopeDispose(() => abort?.abort())

  return { found, isBusy }
}
