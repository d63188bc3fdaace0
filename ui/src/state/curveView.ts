/** What a board of PR and ROC curves shows, as a value and as the query of an address. */

import type { AnswerBox } from '@/charts/answerPlot'
import type { AxisKind } from '@/charts/curves'
import { readAddress, readList, readMap, writeAddress, type AddressParts } from './address'
import { EMPTY_STEP_VIEW, readStepView, writeStepView, type StepView } from './stepView'
import { EMPTY_TAG_VIEW, readTagView, writeTagView, type TagView } from './tagView'
import { readAxis } from './view'

export interface CurveView extends TagView, StepView {
  /** How it is said when a curve was logged. */
  readonly time: AxisKind
  /** Whether tags with the same beginning share a chart. */
  readonly isGrouped: boolean
  readonly zooms: ReadonlyMap<string, AnswerBox>
}

export const EMPTY_CURVE_VIEW: CurveView = { ...EMPTY_TAG_VIEW, ...EMPTY_STEP_VIEW, time: 'step', isGrouped: false, zooms: new Map() }

const short = (value: number): string => String(Number(value.toFixed(5)))

/** Defaults are left out. */
export function writeCurveView(view: CurveView): AddressParts {
  const query = new URLSearchParams()
  writeTagView(query, view)
  writeStepView(query, view)
  if (view.time !== 'step') query.append('time', view.time)
  if (view.isGrouped) query.append('per', 'group')
  for (const [card, { x, y }] of view.zooms) query.append('z', `${[...x, ...y].map(short).join(',')}@${card}`)
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readCurveView(query: string, hash = ''): CurveView {
  const given = readAddress(query, hash)
  return {
    ...readTagView(given),
    ...readStepView(given),
    time: readAxis(given.get('time')),
    isGrouped: given.get('per') === 'group',
    zooms: readMap(readList(given, 'z'), readBox),
  }
}

function readBox(text: string): AnswerBox | null {
  const [x0 = NaN, x1 = NaN, y0 = NaN, y1 = NaN] = text.split(',').map(Number)
  return x0 < x1 && y0 < y1 && [x0, x1, y0, y1].every((end) => Math.abs(end) < 2) ? { x: [x0, x1], y: [y0, y1] } : null
}
