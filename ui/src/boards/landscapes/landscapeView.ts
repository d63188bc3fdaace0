/** What a board of loss landscapes shows. */

import { byCard, defineView, fields, flag, flagOff, oneOf, type ViewOf } from '@/base/url/view'
import { STEP_FIELDS } from '@/board/steps/stepView'
import { TAG_FIELDS } from '@/board/tags/tagView'
import { readSceneView, writeSceneView } from '@/plot/scene/sceneView'

const LOOK = fields({
  look: oneOf('look', ['contour', 'surface']),
  isLog: flag('log'),
  hasPath: flagOff('path'),
  /** Whether the runs of a card lie over each other. */
  isOverlaid: flag('over'),
  /** Whether the runs of a card share one range of losses; always when overlaid. */
  hasSameScale: flagOff('scale', 'own'),
})

export const landscapeView = defineView(
  TAG_FIELDS,
  STEP_FIELDS,
  LOOK,
  fields({ cameras: byCard('cam', readSceneView, writeSceneView) }),
)

export type LandscapeLook = ViewOf<typeof LOOK>
export type LandscapeView = ViewOf<typeof landscapeView>
