/** What is read in a landscape, in words. */

import { formatValue } from '@/base/numbers'
import { placeOf, type ContourReading, type Layer } from './contourPlot'
import { intervalText } from './terrain'
import { w } from './words'

/** `isNaming`: several runs are shown, so it has to be said which. */
export function readingText(reading: ContourReading | null, isNaming: boolean): string {
  if (!reading) return ''
  const { x, y } = placeOf(reading)
  const place = w.value.place(formatValue(x, 4), formatValue(y, 4))
  const named = ({ name }: Layer): readonly string[] => (isNaming ? [name] : [])
  switch (reading.kind) {
    case 'path': {
      const { landscape } = reading.layer
      const interval = intervalText(landscape, landscape.path!, reading.at, {
        step: w.value.stepAt,
        epoch: w.value.epochAt,
      })
      return [
        ...named(reading.layer),
        interval,
        w.value.lossOf(formatValue(landscape.path!.z[reading.at]!)),
        place,
      ].join(' · ')
    }
    case 'end':
      return [
        ...named(reading.layer),
        w.value.end,
        w.value.lossOf(formatValue(reading.layer.landscape.end!.z)),
        place,
      ].join(' · ')
    case 'place': {
      const losses = reading.losses
        .filter(({ loss }) => !Number.isNaN(loss))
        .map(({ layer, loss }) => [...named(layer), w.value.lossOf(formatValue(loss))].join(' '))
      return [...losses, place].join(' · ')
    }
  }
}
