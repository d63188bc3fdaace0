/** What the service tells of two profiles, and the one sentence about it. */

import type { ComparedOperator, ComparedProfile, ProfileComparison } from '@rest'
import { spokenTime } from '@/boards/profiler/shared/cellText'

export type Compared = ComparedProfile
export type OperatorChange = ComparedOperator
export type Comparison = ProfileComparison

export const signed = (ms: number): string => `${ms > 0 ? '+' : ms < 0 ? '−' : ''}${spokenTime(Math.abs(ms))}`
export const signedShare = (ratio: number | null): string =>
  ratio === null
    ? ''
    : `${ratio >= 1 ? '+' : '−'}${(Math.abs(ratio - 1) * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %`
export const spokenPValue = (p: number): string =>
  p < 0.001 ? '< 0.001' : `= ${p.toLocaleString('en', { maximumFractionDigits: 3 })}`
