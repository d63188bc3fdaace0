/** What a board of meshes shows, as a value and as the query of an address. */

import { readSceneView, writeSceneView, type SceneView, type Up } from '@/scene/view'
import { readAddress, readList, readMap, writeAddress, type AddressParts } from '@/state/address'
import { EMPTY_STEP_VIEW, readStepView, writeStepView, type StepView } from '@/state/stepView'
import { EMPTY_TAG_VIEW, readTagView, writeTagView, type TagView } from '@/state/tagView'

export type Display = 'surface' | 'wireframe' | 'points'
/** As logged; by height; in the colour of the run. What has no logged colours is in that of its run. */
export type Colouring = 'logged' | 'height' | 'run'

export interface MeshLook {
  readonly display: Display
  readonly colouring: Colouring
  readonly isLit: boolean
  /** Pixels across. */
  readonly pointSize: number
  readonly hasAxes: boolean
  /** null: as logged, else y. */
  readonly up: Up | null
}

export interface MeshView extends TagView, StepView, MeshLook {
  /** Which mesh of those that were logged as one batch. */
  readonly index: number
  /** From where each card is looked at, where it is not from the beginning. */
  readonly cameras: ReadonlyMap<string, SceneView>
}

export const POINT_SIZES = [1, 12] as const

export const EMPTY_MESH_VIEW: MeshView = {
  ...EMPTY_TAG_VIEW, ...EMPTY_STEP_VIEW, display: 'surface', colouring: 'logged', isLit: true, pointSize: 3, hasAxes: false, up: null, index: 0, cameras: new Map(),
}

const DISPLAYS: Readonly<Record<string, Display>> = { wireframe: 'wireframe', points: 'points' }
const COLOURINGS: Readonly<Record<string, Colouring>> = { height: 'height', run: 'run' }

/** Defaults are left out. */
export function writeMeshView(view: MeshView): AddressParts {
  const query = new URLSearchParams()
  writeTagView(query, view)
  writeStepView(query, view)
  if (view.display !== 'surface') query.append('show', view.display)
  if (view.colouring !== 'logged') query.append('colour', view.colouring)
  if (!view.isLit) query.append('light', '0')
  if (view.pointSize !== EMPTY_MESH_VIEW.pointSize) query.append('points', String(view.pointSize))
  if (view.hasAxes) query.append('axes', '1')
  if (view.up) query.append('up', view.up)
  if (view.index > 0) query.append('mesh', String(view.index + 1))
  for (const [card, camera] of view.cameras) query.append('cam', `${writeSceneView(camera)}@${card}`)
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readMeshView(query: string, hash = ''): MeshView {
  const given = readAddress(query, hash)
  const size = Number(given.get('points') ?? NaN)
  const index = Number(given.get('mesh') ?? 1)
  const up = given.get('up')
  return {
    ...readTagView(given),
    ...readStepView(given),
    display: DISPLAYS[given.get('show') ?? ''] ?? 'surface',
    colouring: COLOURINGS[given.get('colour') ?? ''] ?? 'logged',
    isLit: given.get('light') !== '0',
    pointSize: size >= POINT_SIZES[0] && size <= POINT_SIZES[1] ? size : EMPTY_MESH_VIEW.pointSize,
    hasAxes: given.get('axes') === '1',
    up: up === 'y' || up === 'z' ? up : null,
    index: Number.isInteger(index) && index >= 1 && index <= 1e6 ? index - 1 : 0,
    cameras: readMap(readList(given, 'cam'), readSceneView),
  }
}
