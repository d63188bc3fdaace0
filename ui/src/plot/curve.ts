/** One series of one run; `starts` are the positions where, with every point shown, a step is smaller than the one before. */
export interface Curve {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly totalPoints: number
  /** Points that are not shown by default, whatever part of the curve this is. */
  readonly superseded: number
  /** False: all points have the same step, and times order them. */
  readonly hasSteps: boolean
  readonly downsampled: boolean
  readonly steps: Float64Array
  readonly walls: Float64Array
  readonly values: Float64Array
  readonly smoothed: Float64Array | null
  readonly starts: readonly number[]
  readonly startTime: number
}
