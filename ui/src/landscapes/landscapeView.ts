/** What a board of loss landscapes shows, as a value and as the query of an address. */

import { readSceneView, writeSceneView, type SceneView } from '@/scene/view'
import { readAddress, readList, readMap, writeAddress, type AddressParts } from '@/state/address'
import { EMPTY_STEP_VIEW, readStepView, writeStepView, type StepView } from '@/state/stepView'
import { EMPTY_TAG_VIEW, readTagView, writeTagView, type TagView } from '@/state/tagView'

export interface LandscapeLook {
  readonly look: 'contour' | 'surface'
  readonly isLog: boolean
  readonly hasPath: boolean
  /** Whether the runs of a card lie over each other. */
  readonly isOverlaid: boolean
  /** Whether the runs of a card share one range of losses; always when overlaid. */
  readonly hasSameScale: boolean
}

export interface LandscapeView extends TagView, StepView, LandscapeLook {
  readonly cameras: ReadonlyMap<string, SceneView>
}

export const EMPTY_LANDSCAPE_VIEW: LandscapeView = {
  ...EMPTY_TAG_VIEW, ...EMPTY_STEP_VIEW, look: 'contour', isLog: false, hasPath: true, isOverlaid: false, hasSameScale: true, cameras: new Map(),
}

/** Defaults are left out. */
export function writeLandscapeView(view: LandscapeView): AddressParts {
  const query = new URLSearchParams()
  writeTagView(query, view)
  writeStepView(query, view)
  if (view.look !== 'contour') query.append('look', view.look)
  if (view.isLog) query.append('log', '1')
  if (!view.hasPath) query.append('path', '0')
  if (view.isOverlaid) query.append('over', '1')
  if (!view.hasSameScale) query.append('scale', 'own')
  for (const [card, camera] of view.cameras) query.append('cam', `${writeSceneView(camera)}@${card}`)
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readLandscapeView(query: string, hash = ''): LandscapeView {
  const given = readAddress(query, hash)
  return {
    ...readTagView(given),
    ...readStepView(given),
    look: given.get('look') === 'surface' ? 'surface' : 'contour',
    isLog: given.get('log') === '1',
    hasPath: given.get('path') !== '0',
    isOverlaid: given.get('over') === '1',
    hasSameScale: given.get('scale') !== 'own',
    cameras: readMap(readList(given, 'cam'), readSceneView),
  }
}
