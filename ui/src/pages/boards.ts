/** The boards: one entry here is a board's place in the rail, its addresses and its key. */

import type { Component } from 'vue'
import type { Run } from '@/api/runs'
import type { IconName } from '@/components/icons'
import type { Messages } from '@/i18n/en'

/** Words that stand alone. */
export type Label = { [K in keyof Messages]: Messages[K] extends string ? K : never }[keyof Messages]

export interface Board {
  /** Its address: `/name` for several runs, `/runs/:run/name` for one. */
  readonly name: string
  readonly icon: IconName
  readonly label: Label
  readonly page: () => Promise<Component>
  /** The counts of a run of which one must not be zero for the board to be offered. */
  readonly kinds: readonly string[]
  /** Where counts do not tell whether a run has something for the board. */
  readonly isIn?: (run: Run) => boolean
  /** Only for one run. */
  readonly isOfOneRun?: boolean
  /** Typed one after the other. */
  readonly keys?: string
}

/** A page over all runs. */
export interface Overview {
  readonly path: string
  readonly icon: IconName
  readonly label: Label
  readonly page: () => Promise<Component>
  readonly props?: Readonly<Record<string, string>>
  readonly keys?: string
}

/** In the order of the rail, above the boards. */
export const OVERVIEWS: readonly Overview[] = [
  { path: '/compare', icon: 'compare', label: 'compare', page: () => import('@/pages/ComparePage.vue'), keys: 'g k' },
  { path: '/lineage/models', icon: 'models', label: 'modelLineage', page: () => import('@/pages/LineagePage.vue'), props: { table: 'models' }, keys: 'g o' },
  { path: '/lineage/data', icon: 'datasets', label: 'dataLineage', page: () => import('@/pages/LineagePage.vue'), props: { table: 'datasets' }, keys: 'g d' },
]

/** In the order of the rail. */
export const BOARDS: readonly Board[] = [
  { name: 'dashboard', icon: 'dashboard', label: 'dashboard', page: () => import('@/pages/DashboardPage.vue'), kinds: [], isIn: () => true, isOfOneRun: true },
  { name: 'scalars', icon: 'scalars', label: 'scalars', page: () => import('@/pages/ScalarsPage.vue'), kinds: ['scalars'], keys: 'g s' },
  { name: 'images', icon: 'images', label: 'images', page: () => import('@/pages/ImagesPage.vue'), kinds: ['images', 'video'], keys: 'g i' },
  { name: 'histograms', icon: 'histograms', label: 'histograms', page: () => import('@/pages/HistogramsPage.vue'), kinds: ['histograms'], keys: 'g h' },
  { name: 'graphs', icon: 'graphs', label: 'graphs', page: () => import('@/pages/GraphPage.vue'), kinds: ['graphs'], keys: 'g g' },
  { name: 'pipeline', icon: 'pipeline', label: 'pipeline', page: () => import('@/pages/PipelinePage.vue'), kinds: ['pipelines'], isOfOneRun: true },
  { name: 'lineage', icon: 'lineage', label: 'lineageGraph', page: () => import('@/pages/LineageGraphPage.vue'), kinds: ['lineage', 'hparams'], isOfOneRun: true },
  { name: 'texts', icon: 'texts', label: 'texts', page: () => import('@/pages/TextsPage.vue'), kinds: ['text'], keys: 'g x' },
  { name: 'audio', icon: 'audio', label: 'audio', page: () => import('@/pages/AudioPage.vue'), kinds: ['audio'], keys: 'g a' },
  { name: 'curves', icon: 'curves', label: 'curves', page: () => import('@/pages/CurvesPage.vue'), kinds: ['pr_curves', 'roc_curves'], keys: 'g c' },
  { name: 'charts', icon: 'charts', label: 'charts', page: () => import('@/pages/ChartsPage.vue'), kinds: ['custom_scalars'], keys: 'g u' },
  { name: 'embeddings', icon: 'embeddings', label: 'embeddings', page: () => import('@/pages/EmbeddingsPage.vue'), kinds: ['embeddings'], keys: 'g e' },
  { name: 'meshes', icon: 'meshes', label: 'meshes', page: () => import('@/pages/MeshesPage.vue'), kinds: ['meshes'], keys: 'g m' },
  { name: 'landscapes', icon: 'landscapes', label: 'landscapes', page: () => import('@/pages/LandscapesPage.vue'), kinds: ['landscapes'], keys: 'g l' },
  { name: 'tensors', icon: 'tensors', label: 'tensors', page: () => import('@/pages/TensorsPage.vue'), kinds: ['tensors'], keys: 'g n' },
  { name: 'hparams', icon: 'hparams', label: 'hparams', page: () => import('@/pages/HparamsPage.vue'), kinds: ['hparams'], keys: 'g p' },
  { name: 'profiler', icon: 'profiler', label: 'profiler', page: () => import('@/pages/ProfilerPage.vue'), kinds: ['profiles'], keys: 'g r' },
]
