/** What the service tells of two profiles, and the one sentence about it. */

import { spokenTime } from '../figures'

export interface Compared {
  readonly id: string
  readonly run: string
  readonly run_name: string
  readonly name: string
  readonly time: number
  readonly all_steps: number
}

export interface OperatorChange {
  readonly name: string
  readonly side: string
  readonly a: number
  readonly b: number
  readonly a_count: number
  readonly b_count: number
  readonly difference: number
  readonly contribution: number | null
  readonly chance: number | null
  readonly state: string
}

export interface Comparison {
  readonly per: 'step' | 'recording'
  readonly a: Compared
  readonly b: Compared
  readonly difference: number
  readonly ratio: number | null
  readonly chance: number | null
  readonly is_changed: boolean | null
  readonly parts: readonly { readonly part: string; readonly a: number; readonly b: number; readonly difference: number }[]
  readonly operators: readonly OperatorChange[]
  readonly total: number
  readonly states: Readonly<Record<string, number>>
  readonly reasons: readonly { readonly name: string; readonly difference: number }[]
  readonly lineage: readonly { readonly kind: string; readonly name: string; readonly a: unknown; readonly b: unknown }[]
}

export const signed = (ms: number): string => `${ms > 0 ? '+' : ms < 0 ? '−' : ''}${spokenTime(Math.abs(ms))}`
export const signedShare = (ratio: number | null): string => (ratio === null ? '' : `${ratio >= 1 ? '+' : '−'}${(Math.abs(ratio - 1) * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %`)
export const spokenChance = (p: number): string => (p < 0.001 ? '< 0.001' : `= ${p.toLocaleString('en', { maximumFractionDigits: 3 })}`)
