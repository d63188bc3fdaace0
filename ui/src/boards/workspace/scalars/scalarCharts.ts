/** What every chart of scalars on a board is given: the settings of the board and the card's own. */

import { shallowRef, provide } from 'vue'
import { useCommands, type Command } from '@/base/commands'
import { t } from '@/i18n'
import { withEntry } from '@/base/url/address'
import type { ViewState } from '@/base/url/useView'
import { showsSuperseded, toggled, type TagView } from '@/board/tags/tagView'
import { CURSOR } from '@/plot/canvas/cursor'
import type { Limits } from '@/plot/plot'
import type { Box } from '@/plot/zoom'
import { isLogOf, ownAxis, type ChartSettings } from './chartFields'

const NO_LIMITS: Limits = { lower: null, upper: null }
const AXES = ['step', 'relative', 'absolute'] as const

/** A zoom of linear values makes no sense on a logarithmic axis; the part of x stays. */
const withoutY = (box: Box | undefined): Box | null => (box ? { x: box.x, left: null, right: null } : null)

/** All charts of the board share one crosshair. */
export function useScalarCharts<V extends ChartSettings & TagView>(state: ViewState<V>) {
  // Of a view, only what charts and cards have is touched here.
  const { view, update } = state as unknown as ViewState<ChartSettings & TagView>
  const cursor = shallowRef<number | null>(null)
  provide(CURSOR, cursor)

  // A zoom is in units of the old axis and means nothing on the new one.
  const chooseAxis = (axis: string): void => update({ axis, zooms: new Map() })
  useCommands(() => {
    const names = { step: t.value.step, relative: t.value.relativeTime, absolute: t.value.absoluteTime }
    return [
      ...AXES.map((axis): Command => ({
        id: `axis-${axis}`,
        kind: 'command',
        label: `${t.value.horizontalAxis}: ${names[axis]}`,
        run: () => chooseAxis(axis),
      })),
      {
        id: 'axis-next',
        kind: 'hidden',
        label: '',
        keys: 'x',
        run: () => chooseAxis(AXES[(AXES.indexOf(ownAxis(view.value.axis)) + 1) % AXES.length]!),
      },
    ]
  })

  return (id: string) => {
    const { axis, smoothing, ignoreOutliers, isLogX, zooms, limits } = view.value
    return {
      axis: ownAxis(axis),
      isLogX: isLogX && axis !== 'absolute',
      smoothing,
      ignoreOutliers,
      isLog: isLogOf(view.value, id),
      showSuperseded: showsSuperseded(view.value, id),
      box: zooms.get(id) ?? null,
      limits: limits.get(id) ?? NO_LIMITS,
      onRead: (x: number | null) => (cursor.value = x),
      onZoom: (box: Box | null) => update({ zooms: withEntry(view.value.zooms, id, box) }),
      onPan: (box: Box) => update({ zooms: withEntry(view.value.zooms, id, box) }, 'refine'),
      onLog: () =>
        update({
          logExceptions: toggled(view.value.logExceptions, id),
          zooms: withEntry(view.value.zooms, id, withoutY(view.value.zooms.get(id))),
        }),
      onOutliers: () => update({ ignoreOutliers: !ignoreOutliers }),
      onSuperseded: () => update({ superseded: toggled(view.value.superseded, id) }),
      onLimits: (next: Limits) =>
        update({
          limits: withEntry(view.value.limits, id, next.lower === null && next.upper === null ? null : next),
        }),
    }
  }
}
