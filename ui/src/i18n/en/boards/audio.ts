/** Words of the audio board. */

import { plural } from '../grammar/plural'

export const audio = {
  look: 'View',
  wave: 'Waveform',
  spectrogram: 'Spectrogram',
  spectrogramHint: 'Frequency content over time, low frequencies at the bottom',
  volume: 'Volume',
  mute: 'Mute',
  unmute: 'Unmute',
  speed: 'Speed',
  loop: 'Loop',
  loopHint: 'Repeat playback',
  playSound: 'Play',
  pauseSound: 'Pause',
  place: (tag: string, run: string) => `Playback position in ${tag}, ${run}. Arrow keys seek, Space plays.`,
  placeText: (now: string, all: string) => `${now} of ${all}`,
  rate: (kilohertz: string) => `${kilohertz} kHz`,
  mono: 'mono',
  stereo: 'stereo',
  channels: (count: number) => plural(count, 'channel', 'channels'),
  upTo: (kilohertz: string) => `0 to ${kilohertz} kHz`,
  undecodable: 'This clip cannot be decoded here. You can download it.',
  unplayable: 'This browser cannot play the clip. You can download it.',
  noSamples: 'This clip is empty.',
  drawLarge: (length: string) => `Draw all ${length}`,
  saveSound: 'Download clip',
  saveAll: 'Download all clips of this card (ZIP)',
  cancelDownload: (done: string, all: string) => `${done} of ${all} downloaded. Click to cancel.`,
  someLeftOut: (count: string) => `${count} failed to download`,
  stageLabel: (tag: string) =>
    `Audio clips of ${tag}. Left and right arrows change the step, Home and End jump to the first and ` +
    'last step, Space plays the first clip.',
  noSounds: 'No audio logged yet',
  noSoundsWhy: 'Clips show up here as soon as a selected run logs one. To log one:',
  noneHere: 'No audio in these runs.',
}
