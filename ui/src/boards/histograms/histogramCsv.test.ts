import { expect, it } from 'vitest'
import { histogramCsv } from './histogramCsv'
import { histogram } from '@/plot/histogram/histogramSamples'

it('writes a row for each bucket, and one for a step without any', () => {
  const items = [
    histogram([0, 1, 3], [5, 6], { step: 1, wall: 10 }),
    histogram([], [], { step: 2, wall: 11, nan: 4 }),
  ]
  const series = {
    run: 'id',
    tag: '=a,"b"',
    source: '',
    totalSteps: 2,
    superseded: 0,
    startTime: 10,
    items,
    errors: [],
  }

  const text = histogramCsv([series], () => 'name')

  expect(text).toBe(
    'run,tag,source,step,wall_time,left,right,count,nan,pos_inf,neg_inf\n' +
      'name,"\'=a,""b""",,1,10,0,1,5,0,0,0\n' +
      'name,"\'=a,""b""",,1,10,1,3,6,0,0,0\n' +
      'name,"\'=a,""b""",,2,11,,,,4,0,0\n',
  )
})
