/** The scene of what is open, computed aside while the last one stays. */

import { onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import { chartColours } from '@/base/theme'
import { composer } from './layout/compose'
import { elkLayout } from './layout/elkLayout'
import type { Plan } from './layout/plan'
import { canvasMeasure, fitText, type FitText } from './layout/sizes'
import { EMPTY_SCENE, type Scene } from './scene'

export interface Composed {
  readonly scene: Readonly<Ref<Scene>>
  /** What the scene was made of. */
  readonly plan: Readonly<Ref<Plan | null>>
  readonly isBusy: Readonly<Ref<boolean>>
  readonly fit: FitText
}

export function useScene(plan: () => Plan | null): Composed {
  const scene = shallowRef<Scene>(EMPTY_SCENE)
  const current = shallowRef<Plan | null>(null)
  const isBusy = ref(false)
  const measure = canvasMeasure(chartColours.value.font)
  const layout = elkLayout()
  const { compose } = composer(layout.layOut, measure)
  let turn = 0

  watch(
    plan,
    async (requested) => {
      const mine = ++turn
      if (!requested) {
        scene.value = EMPTY_SCENE
        current.value = null
        isBusy.value = false
        return
      }
      isBusy.value = true
      const composed = await compose(requested, () => mine === turn)
      if (!composed || mine !== turn) return
      scene.value = composed
      current.value = requested
      isBusy.value = false
    },
    { immediate: true },
  )
  onScopeDispose(() => {
    turn++
    layout.stop()
  })
  return { scene, plan: current, isBusy, fit: fitText(measure) }
}
