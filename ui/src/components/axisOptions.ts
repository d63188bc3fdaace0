import type { AxisKind } from '@/charts/curves'
import { t } from '@/i18n'

/** What can stand on the axis of training. */
export const axisOptions = (): readonly { readonly value: AxisKind; readonly label: string }[] => [
  { value: 'step', label: t.value.step },
  { value: 'relative', label: t.value.relativeTime },
  { value: 'absolute', label: t.value.absoluteTime },
]
