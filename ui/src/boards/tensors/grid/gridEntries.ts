/** Numbers of a tensor as text and as heat. */

import { formatValue } from '@/base/numbers'
import type { Entry } from '@/boards/tensors/api'

export interface NumberFormat {
  /** Significant digits. */
  readonly digits: number
  readonly isScientific: boolean
}

export const DIGITS = [2, 3, 4, 5, 6, 8, 10, 17] as const

const minus = (text: string): string => text.replace(/-/g, '−')

export function entryText(entry: Entry | undefined, { digits, isScientific }: NumberFormat): string {
  if (entry === undefined) return ''
  if (typeof entry !== 'number')
    return typeof entry === 'string' && /^-\d/.test(entry) ? minus(entry) : String(entry)
  if (isScientific && Number.isFinite(entry)) return minus(entry.toExponential(digits - 1).replace('e+', 'e'))
  // Whole numbers are exact, however few digits are asked for.
  if (Number.isInteger(entry) && Math.abs(entry) < 1e9) return minus(String(entry))
  return formatValue(entry, digits)
}

/** Exactly as it was logged, to be copied. */
export const exactText = (entry: Entry | undefined): string => (entry === undefined ? '' : String(entry))

/** Pixels that a cell of numbers needs. */
export function cellWidth(dtype: string, { digits }: NumberFormat): number {
  if (dtype === 'string') return 150
  if (dtype === 'bool') return 58
  const signs = dtype.startsWith('complex') ? 26 : /^u?int(8|16)$/.test(dtype) ? 7 : digits + 6
  return Math.round(signs * 7.6 + 14)
}

/** How hot a cell is: `part` from 0 to 1 of the colour of its side. */
export interface Heat {
  readonly side: 'low' | 'high'
  readonly part: number
}

/** Numbers on both sides of zero are coloured by their distance from it, others from the smallest to the largest. */
export function heatOf(entry: Entry | undefined, lo: number, hi: number): Heat | null {
  const value = typeof entry === 'boolean' ? Number(entry) : entry
  if (typeof value !== 'number' || !Number.isFinite(value) || !(lo <= hi)) return null
  if (lo < 0 && hi > 0) {
    const most = Math.max(-lo, hi)
    return { side: value < 0 ? 'low' : 'high', part: Math.min(1, Math.abs(value) / most) }
  }
  if (lo === hi) return { side: 'high', part: lo === 0 ? 0 : 0.5 }
  // Divided first: the distance of very large numbers is none.
  const part = (value / 2 - lo / 2) / (hi / 2 - lo / 2)
  return { side: hi <= 0 ? 'low' : 'high', part: Math.min(1, Math.max(0, hi <= 0 ? 1 - part : part)) }
}
