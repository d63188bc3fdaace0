/** What an audio board shows, as a value and as the query of an address. */

import { readAddress, writeAddress, type AddressParts } from './address'
import { EMPTY_STEP_VIEW, readStepView, writeStepView, type StepView } from './stepView'
import { EMPTY_TAG_VIEW, readTagView, writeTagView, type TagView } from './tagView'

export interface SoundView extends TagView, StepView {
  /** Spectrograms in place of outlines. */
  readonly isSpectral: boolean
}

export const EMPTY_SOUND_VIEW: SoundView = { ...EMPTY_TAG_VIEW, ...EMPTY_STEP_VIEW, isSpectral: false }

/** Defaults are left out. */
export function writeSoundView(view: SoundView): AddressParts {
  const query = new URLSearchParams()
  writeTagView(query, view)
  writeStepView(query, view)
  if (view.isSpectral) query.append('as', 'spectrogram')
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readSoundView(query: string, hash = ''): SoundView {
  const given = readAddress(query, hash)
  return { ...readTagView(given), ...readStepView(given), isSpectral: given.get('as') === 'spectrogram' }
}
