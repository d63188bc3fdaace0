/** Where the ticks of an axis stand and what they say. */

import { formatClock, formatCompact, formatDuration, labelTicks } from '@/base/numbers'

export interface Ticks {
  readonly values: readonly number[]
  readonly labels: readonly string[]
}

const NONE: Ticks = { values: [], labels: [] }

const isRange = (lo: number, hi: number): boolean => Number.isFinite(lo) && Number.isFinite(hi) && hi > lo

/** Multiples of `gap` in [lo, hi]; computed by multiplication, so that errors do not add up. */
function multiples(lo: number, hi: number, gap: number, offset = 0): number[] {
  const first = Math.ceil((lo - offset) / gap - 1e-9)
  const last = Math.floor((hi - offset) / gap + 1e-9)
  const values: number[] = []
  for (let i = first; i <= last && values.length < 1000; i++)
    values.push(gap < 1 ? Number((i * gap + offset).toPrecision(15)) : i * gap + offset)
  return values
}

/** The smallest of 1, 2, 5 times a power of ten that is at least `gap`. */
function niceGap(gap: number): number {
  const power = 10 ** Math.floor(Math.log10(gap))
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= gap * (1 - 1e-9)) ?? 10
  return factor * power
}

/** At most about `count` round values between `lo` and `hi`; whole numbers only when `whole`. */
export function linearTicks(lo: number, hi: number, count: number, whole = false): Ticks {
  if (!isRange(lo, hi)) return NONE
  const gap = niceGap((hi - lo) / Math.max(1, count))
  const values = multiples(lo, hi, whole ? Math.max(1, gap) : gap)
  return { values, labels: labelTicks(values) }
}

/** Powers of ten, with 2 and 5 between them where there is room, or linear ticks inside one decade. */
export function logTicks(lo: number, hi: number, count: number): Ticks {
  if (!isRange(lo, hi) || lo <= 0) return NONE
  const from = Math.floor(Math.log10(lo) + 1e-9)
  const to = Math.ceil(Math.log10(hi) - 1e-9)
  const decades = to - from
  if (Math.log10(hi / lo) < 0.7) return linearTicks(lo, hi, count)
  const factors = decades * 3 <= count ? [1, 2, 5] : decades * 2 <= count ? [1, 3] : [1]
  const stride = Math.max(1, Math.ceil(decades / Math.max(1, count)))
  const values: number[] = []
  for (let power = from; power <= to; power++) {
    if (((power % stride) + stride) % stride !== 0) continue
    for (const factor of factors) {
      const value = Number(`${factor}e${power}`)
      if (value >= lo * (1 - 1e-9) && value <= hi * (1 + 1e-9)) values.push(value)
    }
  }
  return { values, labels: values.map((value) => formatCompact(value)) }
}

const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400]

function timeGap(span: number, count: number): number {
  const gap = span / Math.max(1, count)
  return SECONDS.find((candidate) => candidate >= gap) ?? niceGap(gap / 86400) * 86400
}

/** Round durations between `lo` and `hi` seconds. */
export function durationTicks(lo: number, hi: number, count: number): Ticks {
  if (!isRange(lo, hi)) return NONE
  const wide = (hi - lo) / Math.max(1, count) >= 1
  const values = multiples(lo, hi, wide ? timeGap(hi - lo, count) : niceGap((hi - lo) / Math.max(1, count)))
  const labels = values.map(formatDuration)
  // Far from zero, short gaps disappear in the rounding of durations; plain seconds keep them apart.
  if (new Set(labels).size < labels.length)
    return { values, labels: labelTicks(values).map((label) => `${label}\u202fs`) }
  return { values, labels }
}

/** Round local times between `lo` and `hi`, seconds since 1970; the date stands where it changes. */
export function timeTicks(lo: number, hi: number, count: number): Ticks {
  if (!isRange(lo, hi)) return NONE
  if (hi - lo < count) return linearTicksOfSeconds(lo, hi, count)
  const gap = timeGap(hi - lo, count)
  const zone = -new Date(lo * 1000).getTimezoneOffset() * 60
  const values = multiples(lo, hi, gap, -(zone % 86400))
  let day = ''
  const labels = values.map((value) => {
    const time = new Date(value * 1000)
    const date = `${String(time.getMonth() + 1).padStart(2, '0')}-${String(time.getDate()).padStart(2, '0')}`
    if (gap >= 86400) return date
    const clock = formatClock(time, gap < 60)
    const label = date === day ? clock : `${date} ${clock}`
    day = date
    return label
  })
  return { values, labels }
}

function linearTicksOfSeconds(lo: number, hi: number, count: number): Ticks {
  const gap = niceGap((hi - lo) / Math.max(1, count))
  const values = multiples(lo, hi, gap)
  const decimals = Math.max(0, Math.ceil(-Math.log10(gap)))
  const labels = values.map((value) => {
    const fraction = gap < 1 ? (value - Math.floor(value)).toFixed(Math.min(decimals, 6)).slice(1) : ''
    return formatClock(new Date(Math.floor(value) * 1000), true) + fraction
  })
  return { values, labels }
}
