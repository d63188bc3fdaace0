/** What an audio board shows. */

import { defineView, fields, flag, type ViewOf } from '@/base/url/view'
import { STEP_FIELDS } from '@/board/steps/stepView'
import { TAG_FIELDS } from '@/board/tags/tagView'

export const audioView = defineView(
  TAG_FIELDS,
  STEP_FIELDS,
  fields({
    /** Spectrograms in place of outlines. */
    isSpectral: flag('as', 'spectrogram'),
  }),
)

export type AudioView = ViewOf<typeof audioView>
