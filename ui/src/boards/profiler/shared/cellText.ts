/** Figures of profiles as people read them. */

import { formatBytes, formatCompact, formatCount, formatValue } from '@/base/numbers'
import type { Cell, Column } from './pagedRows'

/** Milliseconds, as exact as the recording. */
export const milliseconds = (value: number): string => {
  const digits = value === 0 ? 0 : Math.max(0, Math.min(6, 4 - Math.floor(Math.log10(Math.abs(value)))))
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

/** A time with the unit that suits it. */
export function spokenTime(ms: number): string {
  const size = Math.abs(ms)
  if (size >= 1000) return `${milliseconds(ms / 1000)} s`
  if (size >= 1 || size === 0) return `${milliseconds(ms)} ms`
  return size >= 0.001 ? `${milliseconds(ms * 1000)} µs` : `${milliseconds(ms * 1e6)} ns`
}

export const percent = (share: number): string =>
  `${(share * 100).toLocaleString('en', { maximumFractionDigits: share < 0.1 ? 2 : 1 })} %`

/** Floating point operations in a second. */
export const spokenRate = (flops: number): string => `${formatCompact(flops, 4)}FLOP/s`

export function cellText({ kind }: Column, cell: Cell | undefined): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell !== 'number') return String(cell)
  if (kind === 'time') return milliseconds(cell)
  if (kind === 'share') return percent(cell)
  if (kind === 'bytes') return formatBytes(cell)
  if (kind === 'compact') return formatCompact(cell)
  return kind === 'count' ? formatCount(cell) : formatValue(cell)
}

export const isNumber = ({ kind }: Column): boolean => kind !== 'text'
