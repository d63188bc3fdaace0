/** Filters by column, as people drag them on axes or pick them in the menu, as conditions for the service. */

import type { Brush, Brushes } from '@/boards/workspace/sheet/axes/axisTable'
import type { Where } from './table/api'

/** Axes know values by their texts: one may stand for a truth value or a number, too. */
function valuesOf(name: string): readonly unknown[] {
  if (name === 'true' || name === 'false') return [name, name === 'true']
  return name.trim() !== '' && Number.isFinite(Number(name)) ? [name, Number(name)] : [name]
}

function conditionsOf(brush: Brush): Where[string] {
  if (brush.kind === 'names') return { in: brush.names.flatMap(valuesOf) }
  return {
    ...(Number.isFinite(brush.lo) ? { ge: brush.lo } : {}),
    ...(Number.isFinite(brush.hi) ? { le: brush.hi } : {}),
  }
}

export const whereOf = (brushes: Brushes): Where =>
  Object.fromEntries([...brushes].map(([column, brush]) => [column, conditionsOf(brush)]))
