/** What graphs are called in a list. */

import { formatCount } from '@/base/numbers'
import { lastPart } from '@/plot/graph/layout/plan'
import type { GraphInfo } from './api'
import { graphWords as w } from './words'

export function graphTitle(info: GraphInfo, all: readonly GraphInfo[]): string {
  const file = lastPart(info.file)
  const stage = w.value.stages[info.stage] ?? info.stage
  const isOneOfMany = all.some(
    (other) => other !== info && other.file === info.file && other.name === info.name,
  )
  // Logs have few graphs, mostly one, which is called just that.
  const name = ['graph', info.file, file].includes(info.name) ? '' : info.name
  return [file, name, stage, isOneOfMany ? w.value.stepOf(formatCount(info.step)) : '']
    .filter(Boolean)
    .join(' · ')
}
