/** What there is to see of a profile: one entry here is a tab of its page. */

import type { Component } from 'vue'
import type { Part, Profile, ProfileSummary } from '@/api/profiles'
import type { Change } from '@/state/useView'
import type { Options } from './view'

/** What every tab is given. */
export interface TabProps {
  /** The chosen one, analysed. */
  readonly profile: ProfileSummary
  /** All of the run. */
  readonly profiles: readonly Profile[]
  /** The tab's own part of the address. */
  readonly options: Options
}

export interface TabEvents {
  /** Other options; null takes one away. */
  change: [patch: Readonly<Record<string, string | null>>, change?: Change]
  /** Go to another tab, and there to these options. */
  open: [tab: string, options: Options]
}

export interface Tab {
  readonly name: string
  /** What the profile must have for the tab to show anything. */
  readonly needs: Part | null
  readonly content: () => Promise<Component>
}

/** In the order they are shown. */
export const TABS: readonly Tab[] = [
  { name: 'overview', needs: null, content: () => import('./OverviewTab.vue') },
  { name: 'operators', needs: 'operators', content: () => import('./OperatorsTab.vue') },
  { name: 'steps', needs: 'steps', content: () => import('./StepsTab.vue') },
  { name: 'timeline', needs: 'timeline', content: () => import('./timeline/TimelineTab.vue') },
  { name: 'memory', needs: 'memory', content: () => import('./MemoryTab.vue') },
  { name: 'pipeline', needs: 'pipeline', content: () => import('./PipelineTab.vue') },
  { name: 'path', needs: 'critical_path', content: () => import('./waits/PathTab.vue') },
  { name: 'cluster', needs: 'cluster', content: () => import('./cluster/ClusterTab.vue') },
  { name: 'flame', needs: 'flame', content: () => import('./flame/FlameTab.vue') },
  { name: 'compare', needs: null, content: () => import('./comparing/CompareTab.vue') },
]
