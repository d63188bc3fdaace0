/** Numbers, sizes and times as short text. Signs and units are the same in every language. */

const NARROW = '\u202f' // narrow no-break space between a number and its unit
const UNITS: readonly (readonly [number, string])[] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
]

function special(value: number): string | null {
  if (Number.isNaN(value)) return 'NaN'
  if (value === Infinity) return '∞'
  if (value === -Infinity) return '−∞'
  return value === 0 ? '0' : null
}

function minus(text: string): string {
  return text.replace(/^-/, '−')
}

/** `3.20e-4` as `3.2e-4`, `1.50` as `1.5`. */
function trim(text: string): string {
  const [mantissa = '', exponent] = text.split('e')
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa
  return exponent === undefined ? short : `${short}e${exponent.replace('+', '')}`
}

/** A value with up to `digits` significant digits, for tables and tooltips: `0.03125`, `12345.7`, `3e-7`. */
export function formatValue(value: number, digits = 6): string {
  const word = special(value)
  if (word !== null) return word
  const size = Math.abs(value)
  const text = size >= 1e9 || size < 1e-4 ? value.toExponential(digits - 1) : value.toPrecision(digits)
  // toPrecision may choose the exponent form although the number is short enough without it.
  const plain = text.includes('e') && size < 1e9 && size >= 1e-4 ? String(Math.round(value)) : text
  return minus(trim(plain))
}

/** A value in as few characters as possible: `1.2 M`, `3e-4`. */
export function formatCompact(value: number, digits = 3): string {
  const word = special(value)
  if (word !== null) return word
  const size = Math.abs(value)
  if (size >= 1e15 || size < 1e-3) return minus(trim(value.toExponential(digits - 1)))
  for (const [factor, unit] of UNITS) {
    if (size >= factor * 10 || (size >= factor && factor > 1e3)) {
      return minus(trim((value / factor).toPrecision(digits)).replace(/e.*/, '')) + NARROW + unit
    }
  }
  return minus(trim(size >= 1e3 ? String(Math.round(value)) : value.toPrecision(digits)))
}

/** A whole number, grouped by threes: `1 234 567`. */
export function formatCount(value: number): string {
  return minus(String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, NARROW))
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let size = bytes
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1024
    unit++
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)}${NARROW}${units[unit]}`
}

/** Labels for the equidistant `ticks` of one axis: all with the same decimals and the same unit. */
export function labelTicks(ticks: readonly number[]): string[] {
  const largest = Math.max(...ticks.map(Math.abs), 0)
  const gap = ticks.length > 1 ? Math.abs(ticks[1]! - ticks[0]!) : largest
  if (largest === 0 || gap === 0) return ticks.map((tick) => formatCompact(tick))
  if (largest >= 1e15 || largest < 1e-3) {
    const digits = Math.max(0, Math.floor(Math.log10(largest) + 1e-9) - Math.floor(Math.log10(gap) + 1e-9))
    return ticks.map((tick) => (tick === 0 ? '0' : minus(trim(tick.toExponential(Math.min(digits, 16))))))
  }
  // Below ten thousand a unit saves nothing; above, it must not hide the difference between two ticks.
  const [factor, unit] = UNITS.find(([size]) => largest >= size * (size === 1e3 ? 10 : 1)) ?? [1, '']
  const decimals = decimalsOf(gap / factor)
  return ticks.map((tick) =>
    tick === 0 ? '0' : minus((tick / factor).toFixed(decimals)) + (unit && NARROW + unit),
  )
}

/** Decimals needed to write multiples of the round number `gap`. */
function decimalsOf(gap: number): number {
  const leading = Math.floor(Math.log10(gap) + 1e-9)
  const digits = gap / 10 ** leading
  const half = Math.abs(digits - Math.round(digits)) > 1e-6 ? 1 : 0
  return Math.min(Math.max(0, half - leading), 15)
}

export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return formatValue(seconds)
  const sign = seconds < 0 ? '−' : ''
  const size = Math.abs(seconds)
  if (size === 0) return `0${NARROW}s`
  if (size < 1) return `${sign}${trim((size * 1000).toPrecision(3)).replace(/e.*/, '')}${NARROW}ms`
  if (size < 60) return `${sign}${trim(size.toPrecision(3))}${NARROW}s`
  const whole = Math.round(size)
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(whole / 86400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ]
  const first = parts.findIndex(([count]) => count > 0)
  const largest = parts.slice(first, first + 2).filter(([count]) => count > 0)
  return sign + largest.map(([count, unit]) => `${count}${NARROW}${unit}`).join(' ')
}

const two = (value: number): string => String(value).padStart(2, '0')

/** Local date and time, `2026-03-01 09:05:07`. */
export function formatTime(seconds: number): string {
  const time = new Date(seconds * 1000)
  if (Number.isNaN(time.getTime())) return '–'
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${formatClock(time, true)}`
}

export function formatClock(time: Date, withSeconds: boolean): string {
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`
  return withSeconds ? `${clock}:${two(time.getSeconds())}` : clock
}
