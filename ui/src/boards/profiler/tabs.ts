/** What there is to see of a profile: one entry here is a tab of its page. */

import type { Component } from 'vue'
import type { Change } from '@/base/url/useView'
import type { Options } from './profileView'
import type { Part, Profile, ProfileSummary } from './shared/api'

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
  { name: 'overview', needs: null, content: () => import('./overview/OverviewTab.vue') },
  { name: 'operators', needs: 'operators', content: () => import('./operators/OperatorsTab.vue') },
  { name: 'steps', needs: 'steps', content: () => import('./steps/StepsTab.vue') },
  { name: 'timeline', needs: 'timeline', content: () => import('./timeline/TimelineTab.vue') },
  { name: 'memory', needs: 'memory', content: () => import('./memory/MemoryTab.vue') },
  { name: 'pipeline', needs: 'pipeline', content: () => import('./inputPipeline/PipelineTab.vue') },
  { name: 'path', needs: 'critical_path', content: () => import('./criticalPath/PathTab.vue') },
  { name: 'cluster', needs: 'cluster', content: () => import('./cluster/ClusterTab.vue') },
  { name: 'flame', needs: 'flame', content: () => import('./flame/FlameTab.vue') },
  { name: 'compare', needs: null, content: () => import('./compare/CompareTab.vue') },
]
