/** Histograms as they are drawn. */

/** What was logged at one step: `counts[i]` values between `edges[i]` and `edges[i + 1]`. */
export interface Histogram {
  readonly step: number
  readonly wall: number
  /** All values, also those that are not finite. */
  readonly count: number
  /** Of the finite values; NaN when there are none. */
  readonly min: number
  readonly max: number
  /** NaN where the format does not keep it. */
  readonly sum: number
  readonly edges: Float64Array
  readonly counts: Float64Array
  readonly nan: number
  readonly posInf: number
  readonly negInf: number
}

/** The histograms of one run and tag in order of logging. */
export interface HistogramSeries {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly totalSteps: number
  readonly superseded: number
  /** Wall time of the first step. */
  readonly startTime: number
  readonly items: readonly Histogram[]
  /** Why steps are missing here: they could not be read. */
  readonly errors: readonly string[]
}
