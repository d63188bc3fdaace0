/** Going through the steps of cards: by hand, by keys, or playing. */

import { computed, onScopeDispose, ref, watch, type ComputedRef } from 'vue'
import type { ViewState } from '@/base/url/useView'
import { positionAt } from './frames'
import { stepOf, wentTo, type StepView } from './stepView'

/** What a card with steps is given. */
export interface StepProps {
  /** null: the newest. */
  readonly step: number | null
  readonly isPlaying: boolean
}

export interface StepEvents {
  /** `isLast`: there is no later one in this card. */
  step: [step: number, isLast: boolean]
  play: [isPlaying: boolean]
}

interface StepHandlers extends StepProps {
  onStep(step: number, isLast: boolean): void
  onPlay(isPlaying: boolean): void
}

/** Of a board: what each card is given and does. One card plays at a time; `newest` is the last step of all. */
export function useStepBoard<V extends StepView>(
  { view, update }: ViewState<V>,
  newest: () => number,
): (card: string) => StepHandlers {
  const playing = ref<string | null>(null)
  return (card) => ({
    step: stepOf(view.value, card),
    isPlaying: playing.value === card,
    onStep: (step, isLast) =>
      update(wentTo(view.value, card, step, isLast, newest()) as Partial<V>, 'refine'),
    onPlay: (isPlaying) => (playing.value = isPlaying ? card : null),
  })
}

export interface Stepping {
  readonly position: ComputedRef<number>
  /** The step where the card stands; null when there is none. */
  readonly here: ComputedRef<number | null>
  go(position: number): void
  seek(step: number): void
  play(): void
  /** What keys do, by their names. */
  readonly keys: Readonly<Record<string, () => void>>
}

const PLAY_MS = 250

type Emit = {
  (event: 'step', step: number, isLast: boolean): void
  (event: 'play', isPlaying: boolean): void
}

/** Of a card: where it stands among its ascending `steps`. While `isBusy`, playing waits. */
export function useStepping(
  props: StepProps,
  emit: Emit,
  steps: () => readonly number[],
  isBusy: () => boolean = () => false,
): Stepping {
  const position = computed(() => positionAt(steps(), props.step))
  const last = (): number => steps().length - 1

  function go(to: number): void {
    const at = Math.min(last(), Math.max(0, to))
    const step = steps()[at]
    if (step !== undefined) emit('step', step, at === last())
  }

  function play(): void {
    if (steps().length < 2) return
    if (!props.isPlaying && position.value === last()) go(0)
    emit('play', !props.isPlaying)
  }

  let timer: ReturnType<typeof setInterval> | undefined
  function tick(): void {
    if (isBusy()) return
    if (position.value >= last()) emit('play', false)
    else go(position.value + 1)
  }
  watch(
    () => props.isPlaying,
    (isPlaying) => {
      clearInterval(timer)
      if (isPlaying) timer = setInterval(tick, PLAY_MS)
    },
    { immediate: true },
  )
  onScopeDispose(() => clearInterval(timer))

  return {
    position,
    here: computed(() => steps()[position.value] ?? null),
    go,
    seek: (step) => go(positionAt(steps(), step)),
    play,
    keys: {
      ArrowLeft: () => go(position.value - 1),
      ArrowRight: () => go(position.value + 1),
      Home: () => go(0),
      End: () => go(last()),
      ' ': play,
    },
  }
}

/** Does what `actions` say for a key pressed on a card itself, not in a field or on a button of it. */
export function actOnKey(event: KeyboardEvent, actions: Readonly<Record<string, () => void>>): void {
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    (event.target as HTMLElement).closest('button, input, select, textarea, audio, video')
  )
    return
  const action = actions[event.key]
  if (!action) return
  event.preventDefault()
  event.stopPropagation()
  action()
}
