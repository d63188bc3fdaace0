/** The entries of the left rail: adding a board is one line here and one route. */

import type { IconName } from '@/components/icons'
import type { Messages } from '@/i18n/en'

export interface Board {
  readonly path: string
  readonly icon: IconName
  readonly label: Extract<keyof Messages, 'runs' | 'scalars' | 'images' | 'histograms' | 'service' | 'details'>
  readonly keys?: string
}

export const BOARDS: readonly Board[] = [
  { path: '/runs', icon: 'runs', label: 'runs', keys: 'g r' },
  { path: '/scalars', icon: 'scalars', label: 'scalars', keys: 'g s' },
  { path: '/images', icon: 'images', label: 'images', keys: 'g i' },
  { path: '/histograms', icon: 'histograms', label: 'histograms', keys: 'g h' },
  { path: '/service', icon: 'service', label: 'service' },
]

/** Boards of one run, shown while it is open; `kinds` names the counts of which one must not be zero. */
export const RUN_BOARDS: readonly (Board & { readonly kinds?: readonly string[] })[] = [
  { path: '/scalars', icon: 'scalars', label: 'scalars', kinds: ['scalars'] },
  { path: '/images', icon: 'images', label: 'images', kinds: ['images', 'video'] },
  { path: '/histograms', icon: 'histograms', label: 'histograms', kinds: ['histograms'] },
  { path: '', icon: 'details', label: 'details' },
]
