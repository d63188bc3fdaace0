import { describe, expect, it } from 'vitest'
import { prRocCurveOf, type PrRocCurve } from './api'
import { prRocCsv, areaUnder, nextThreshold, pointAt } from './prRocCurves'

/** A curve from its points, in the order of ascending thresholds. */
function curve(points: readonly (readonly [x: number, y: number])[]): PrRocCurve {
  const column = (values: readonly number[]): Float64Array => Float64Array.from(values)
  const nothing = column(points.map(() => 0))
  return {
    thresholds: column(points.map((_, i) => i / Math.max(1, points.length - 1))),
    tp: nothing,
    fp: nothing,
    tn: nothing,
    fn: nothing,
    xs: column(points.map(([x]) => x)),
    ys: column(points.map(([, y]) => y)),
  }
}

describe('the area under a ROC curve', () => {
  it('is 1 for a perfect classifier, 0.5 for a guess, less for a bad one', () => {
    expect(
      areaUnder(
        'roc_curves',
        curve([
          [1, 1],
          [0, 1],
          [0, 0],
        ]),
      ),
    ).toBe(1)
    expect(
      areaUnder(
        'roc_curves',
        curve([
          [1, 1],
          [0.5, 0.5],
          [0, 0],
        ]),
      ),
    ).toBe(0.5)
    expect(
      areaUnder(
        'roc_curves',
        curve([
          [1, 1],
          [0.5, 0.25],
          [0, 0],
        ]),
      ),
    ).toBeCloseTo(0.375)
  })

  it('includes the corners that the thresholds do not reach', () => {
    expect(areaUnder('roc_curves', curve([[0.5, 1]]))).toBe(0.75)
  })

  it('is not told where there are no negatives, or the points are in no order', () => {
    expect(
      areaUnder(
        'roc_curves',
        curve([
          [NaN, 1],
          [NaN, 0],
        ]),
      ),
    ).toBe(null)
    expect(
      areaUnder(
        'roc_curves',
        curve([
          [0, 0],
          [1, 1],
        ]),
      ),
    ).toBe(null)
  })
})

describe('the average precision', () => {
  it('weighs each precision by the recall it adds', () => {
    expect(
      areaUnder(
        'pr_curves',
        curve([
          [1, 0.5],
          [0.5, 0.8],
          [0, NaN],
        ]),
      ),
    ).toBeCloseTo(0.5 * 0.8 + 0.5 * 0.5)
    expect(areaUnder('pr_curves', curve([[1, 1]]))).toBe(1)
  })

  it('is not told when the curve does not reach every positive', () => {
    expect(
      areaUnder(
        'pr_curves',
        curve([
          [0.9, 0.5],
          [0.5, 0.8],
        ]),
      ),
    ).toBe(null)
    expect(areaUnder('pr_curves', curve([]))).toBe(null)
  })
})

describe('answers from the service', () => {
  const item = {
    step: 1,
    wall_time: 2,
    thresholds: [0, 0.5, 1],
    tp: [3, 2, 0],
    fp: [4, 1, 0],
    tn: [0, 3, 4],
    fn: [0, 1, 3],
    precision: [3 / 7, 2 / 3, 0],
    recall: [1, 2 / 3, 0],
    fpr: [1, 0.25, 'NaN' as const],
    tpr: [1, 2 / 3, 0],
  }

  it('have no precision where nothing is taken for positive', () => {
    const { xs, ys } = prRocCurveOf('pr_curves', item)
    expect([...xs]).toEqual([1, 2 / 3, 0])
    expect([...ys]).toEqual([3 / 7, 2 / 3, NaN])
  })

  it('have rates as they come', () =>
    expect([...prRocCurveOf('roc_curves', item).xs]).toEqual([1, 0.25, NaN]))

  it('become a table', () => {
    const series = [
      {
        run: 'a',
        tag: '=x,y',
        source: '',
        superseded: 0,
        items: [
          { step: 1, wall: 2, answers: prRocCurveOf('pr_curves', item), error: null },
          { step: 2, wall: 3, answers: null, error: 'bad' },
        ],
      },
    ]
    expect(prRocCsv('pr_curves', series, () => 'run')).toBe(
      [
        'run,tag,source,step,wall_time,threshold,tp,fp,tn,fn,recall,precision',
        `run,"'=x,y",,1,2,0,3,4,0,0,1,${3 / 7}`,
        `run,"'=x,y",,1,2,0.5,2,1,3,1,${2 / 3},${2 / 3}`,
        'run,"\'=x,y",,1,2,1,0,0,4,3,0,',
        '',
      ].join('\n'),
    )
  })
})

describe('reading at a threshold', () => {
  const fine = curve(Array.from({ length: 11 }, () => [0, 0] as const))
  const coarse = curve([
    [0, 0],
    [0, 0],
  ])

  it('finds the nearest point', () => {
    expect(pointAt(fine.thresholds, 0.34)).toBe(3)
    expect(pointAt(coarse.thresholds, 0.34)).toBe(0)
    expect(pointAt(new Float64Array(0), 0.34)).toBe(-1)
  })

  it('goes on by the points of the finest curve', () => {
    expect(nextThreshold([coarse, fine], null, 1)).toBe(0.5)
    expect(nextThreshold([coarse, fine], 0.5, 1)).toBeCloseTo(0.6)
    expect(nextThreshold([coarse, fine], 0.9, 10)).toBe(1)
    expect(nextThreshold([], null, 1)).toBe(null)
  })
})
