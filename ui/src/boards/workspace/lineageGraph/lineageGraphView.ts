/** What the lineage graph of a run shows. */

import { defineView, fields, flag, number, optionalText } from '@/base/url/view'
import { cameraField } from '@/plot/graph/camera'

export const DEPTHS: readonly number[] = [0, 1, 2, 3, 5, 10]

export const lineageGraphView = defineView(
  fields({
    /** How many edges from run to run are followed. */
    depth: number('depth', 2, (value) => DEPTHS.includes(value)),
    /** null: the run itself. */
    node: optionalText('node'),
    isFull: flag('full'),
    at: cameraField('at'),
  }),
)
