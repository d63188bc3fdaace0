/** What a board of meshes shows. */

import {
  byCard,
  defineView,
  fields,
  flag,
  flagOff,
  number,
  oneOf,
  parsed,
  type ViewOf,
} from '@/base/url/view'
import { STEP_FIELDS } from '@/board/steps/stepView'
import { TAG_FIELDS } from '@/board/tags/tagView'
import { readSceneView, writeSceneView, type Up } from '@/plot/scene/sceneView'

export const POINT_SIZES = [1, 12] as const

const LOOK = fields({
  display: oneOf('show', ['surface', 'wireframe', 'points']),
  /** As logged; by height; in the colour of the run. What has no logged colours is in that of its run. */
  colouring: oneOf('colour', ['logged', 'height', 'run']),
  isLit: flagOff('light'),
  /** Pixels across. */
  pointSize: number('points', 3, (size) => size >= POINT_SIZES[0] && size <= POINT_SIZES[1]),
  hasAxes: flag('axes'),
  /** null: as logged, else y. */
  up: parsed<Up | null>('up', null, (text) => (text === 'y' || text === 'z' ? text : null)),
})

export const meshView = defineView(
  TAG_FIELDS,
  STEP_FIELDS,
  LOOK,
  fields({
    /** Which mesh of those that were logged as one batch; the address counts from 1. */
    index: parsed('mesh', 0, readIndex, (index) => String(index + 1)),
    /** From where each card is looked at, where it is not from the initial position. */
    cameras: byCard('cam', readSceneView, writeSceneView),
  }),
)

export type MeshView = ViewOf<typeof meshView>
export type MeshLook = ViewOf<typeof LOOK>
export type Display = MeshLook['display']
export type Colouring = MeshLook['colouring']

function readIndex(text: string): number | null {
  const position = Number(text)
  return Number.isInteger(position) && position >= 1 && position <= 1e6 ? position - 1 : null
}
