/** One series of one run; `starts` are the positions where a resumed run begins a new piece. */
export interface Curve {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly totalPoints: number
  readonly thinned: boolean
  readonly steps: Float64Array
  readonly walls: Float64Array
  readonly values: Float64Array
  readonly smoothed: Float64Array | null
  readonly starts: readonly number[]
  readonly startTime: number
}
