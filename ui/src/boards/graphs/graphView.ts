/** What the graph page shows. */

import { defineView, fields, flag, list, oneOf, optionalText, type ViewOf } from '@/base/url/view'
import { cameraField } from '@/plot/graph/camera'
import type { Auxiliaries } from '@/plot/graph/layout/plan'

export const graphView = defineView(
  fields({
    /** The run selected on the page of all runs; null: the page decides. */
    run: optionalText('run'),
    graph: optionalText('graph'),
    /** Open scopes. */
    open: list('open'),
    node: optionalText('node'),
    auxiliaries: oneOf<Auxiliaries>('aux', ['beside', 'nodes', 'hidden']),
    isFull: flag('full'),
    /** Where the view stands; null: all in sight. */
    at: cameraField('at'),
  }),
)

export type GraphView = ViewOf<typeof graphView>
