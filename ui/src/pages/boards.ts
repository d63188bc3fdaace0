/** The entries of the left rail: adding a board is one line here and one route. */

import type { IconName } from '@/components/icons'
import type { Messages } from '@/i18n/en'

export interface Board {
  readonly path: string
  readonly icon: IconName
  readonly label: Extract<keyof Messages, 'runs' | 'scalars' | 'histograms' | 'service' | 'details'>
  readonly keys?: string
}

export const BOARDS: readonly Board[] = [
  { path: '/runs', icon: 'runs', label: 'runs', keys: 'g r' },
  { path: '/scalars', icon: 'scalars', label: 'scalars', keys: 'g s' },
  { path: '/histograms', icon: 'histograms', label: 'histograms', keys: 'g h' },
  { path: '/service', icon: 'service', label: 'service' },
]

/** Boards of one run, shown while it is open; `kind` names the count that must not be zero. */
export const RUN_BOARDS: readonly (Board & { readonly kind?: string })[] = [
  { path: '/scalars', icon: 'scalars', label: 'scalars', kind: 'scalars' },
  { path: '/histograms', icon: 'histograms', label: 'histograms', kind: 'histograms' },
  { path: '', icon: 'details', label: 'details' },
]
