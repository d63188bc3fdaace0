import { t } from '@/i18n'
import type { AxisKind } from './curves'

export const AXIS_KINDS = ['step', 'relative', 'absolute'] as const satisfies readonly AxisKind[]

/** What can stand on the axis of training. */
export const axisOptions = (): readonly { readonly value: AxisKind; readonly label: string }[] => [
  { value: 'step', label: t.value.step },
  { value: 'relative', label: t.value.relativeTime },
  { value: 'absolute', label: t.value.absoluteTime },
]
