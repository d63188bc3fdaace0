/** What every chart of scalars on a board is given: the settings of the board and the card's own. */

import { shallowRef, provide } from 'vue'
import type { Limits } from '@/charts/plot'
import type { Box } from '@/charts/zoom'
import { CURSOR } from '@/components/cursor'
import { t } from '@/i18n'
import { withEntry } from './address'
import { useCommands, type Command } from './commands'
import { toggled } from './tagView'
import type { ViewState } from './useView'
import { isLogOf, type View } from './view'

const NO_LIMITS: Limits = { lower: null, upper: null }
const AXES = ['step', 'relative', 'absolute'] as const

/** A zoom of linear values makes no sense on a logarithmic axis; the part of x stays. */
const withoutY = (box: Box | undefined): Box | null => (box ? { x: box.x, left: null, right: null } : null)

/** All charts of the board share one crosshair. */
export function useScalarCharts({ view, update }: ViewState<View>) {
  const cursor = shallowRef<number | null>(null)
  provide(CURSOR, cursor)

  // A zoom is in units of the old axis and means nothing on the new one.
  const chooseAxis = (axis: View['axis']): void => update({ axis, zooms: new Map() })
  useCommands(() => {
    const names = { step: t.value.step, relative: t.value.relativeTime, absolute: t.value.absoluteTime }
    return [
      ...AXES.map((axis): Command => ({ id: `axis-${axis}`, kind: 'command', label: `${t.value.horizontalAxis}: ${names[axis]}`, run: () => chooseAxis(axis) })),
      { id: 'axis-next', kind: 'hidden', label: '', keys: 'x', run: () => chooseAxis(AXES[(AXES.indexOf(view.value.axis) + 1) % AXES.length]!) },
    ]
  })

  return (id: string) => {
    const { axis, smoothing, ignoreOutliers, showOverwritten, zooms, limits } = view.value
    return {
      axis, smoothing, ignoreOutliers, showOverwritten,
      isLog: isLogOf(view.value, id),
      box: zooms.get(id) ?? null,
      limits: limits.get(id) ?? NO_LIMITS,
      onRead: (x: number | null) => (cursor.value = x),
      onZoom: (box: Box | null) => update({ zooms: withEntry(view.value.zooms, id, box) }),
      onPan: (box: Box) => update({ zooms: withEntry(view.value.zooms, id, box) }, 'refine'),
      onLog: () => update({ logExceptions: toggled(view.value.logExceptions, id), zooms: withEntry(view.value.zooms, id, withoutY(view.value.zooms.get(id))) }),
      onLimits: (next: Limits) => update({ limits: withEntry(view.value.limits, id, next.lower === null && next.upper === null ? null : next) }),
    }
  }
}
