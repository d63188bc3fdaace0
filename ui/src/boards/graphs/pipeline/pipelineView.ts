/** What the page of data pipelines shows. */

import { defineView, fields, flag, list, number, optionalText } from '@/base/url/view'
import { cameraField } from '@/plot/graph/camera'

export const pipelineView = defineView(
  fields({
    /** Which of the recorded pipelines, from 0. */
    which: number('pipeline', 0, (value) => Number.isInteger(value) && value > 0),
    /** Operators whose inside is not shown. */
    closed: list('closed'),
    node: optionalText('node'),
    isFull: flag('full'),
    at: cameraField('at'),
  }),
)
