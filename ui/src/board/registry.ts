/** The boards: one entry here is a board's place in the rail, its addresses and its key; `app/pages.ts` has their pages. */

import type { PageWords } from '@/i18n/languages'
import type { IconName } from '@/kit/icons'

/** Words that stand alone. */
type Messages = PageWords['page']
export type Label = { [K in keyof Messages]: Messages[K] extends string ? K : never }[keyof Messages]

export type BoardName =
  | 'scalars'
  | 'images'
  | 'histograms'
  | 'graphs'
  | 'pipeline'
  | 'lineage'
  | 'texts'
  | 'tables'
  | 'audio'
  | 'curves'
  | 'charts'
  | 'embeddings'
  | 'meshes'
  | 'landscapes'
  | 'tensors'
  | 'profiler'
  | 'console'

export type OverviewPath = '/lineage/graph' | '/lineage/why'

/** Where entries of the rail stand together. */
export type Group = 'results' | 'media' | 'model' | 'performance'

/** In the order of the rail. */
export const GROUPS: readonly { readonly name: Group; readonly label: Label; readonly icon: IconName }[] = [
  { name: 'results', label: 'groupResults', icon: 'runs' },
  { name: 'media', label: 'groupMedia', icon: 'images' },
  { name: 'model', label: 'groupModel', icon: 'graphs' },
  { name: 'performance', label: 'groupPerformance', icon: 'profiler' },
]

export interface Board {
  /** Its address: `/name` for several runs, `/runs/:run/name` for one. */
  readonly name: BoardName
  readonly icon: IconName
  readonly label: Label
  readonly group: Group
  /** Few runs have it, so that it stands under "More" where several such boards are offered. */
  readonly isRare?: boolean
  /** The counts of a run of which one must not be zero for the board to be offered. */
  readonly kinds: readonly string[]
  /** Only for one run. */
  readonly isOfOneRun?: boolean
  /** Typed one after the other. */
  readonly keys?: string
}

/** A page over all runs, or the runs table with some column set. */
export interface Overview {
  readonly to: OverviewPath | `/runs?${string}`
  readonly icon: IconName
  readonly label: Label
  /** Only offered if runs have data of one of these kinds. */
  readonly kinds?: readonly string[]
  readonly keys?: string
}

/** In the order of the rail, among the results. */
export const OVERVIEWS: readonly Overview[] = [
  { to: '/runs?set=compare', icon: 'compare', label: 'compare', keys: 'g k' },
  { to: '/runs?set=models&show=table', icon: 'models', label: 'modelLineage', keys: 'g o' },
  { to: '/runs?set=data&show=table', icon: 'datasets', label: 'dataLineage', keys: 'g d' },
  {
    to: '/runs?set=hparams&tab=parallel&show=table',
    icon: 'hparams',
    label: 'hparams',
    kinds: ['hparams'],
    keys: 'g p',
  },
  {
    to: '/lineage/graph',
    icon: 'lineage',
    label: 'lineageGraph',
    kinds: ['lineage', 'hparams'],
    keys: 'g y',
  },
  { to: '/lineage/why', icon: 'why', label: 'whyPage', keys: 'g w' },
]

/** In the order of the rail. */
export const BOARDS: readonly Board[] = [
  { name: 'scalars', icon: 'scalars', label: 'scalars', group: 'results', kinds: ['scalars'], keys: 'g s' },
  {
    name: 'images',
    icon: 'images',
    label: 'images',
    group: 'media',
    kinds: ['images', 'video'],
    keys: 'g i',
  },
  {
    name: 'histograms',
    icon: 'histograms',
    label: 'histograms',
    group: 'model',
    kinds: ['histograms'],
    keys: 'g h',
  },
  { name: 'graphs', icon: 'graphs', label: 'graphs', group: 'model', kinds: ['graphs'], keys: 'g g' },
  {
    name: 'pipeline',
    icon: 'pipeline',
    label: 'pipeline',
    group: 'model',
    kinds: ['pipelines'],
    isOfOneRun: true,
    keys: 'g q',
  },
  {
    name: 'lineage',
    icon: 'lineage',
    label: 'lineageGraph',
    group: 'results',
    kinds: ['lineage', 'hparams'],
    isOfOneRun: true,
  },
  { name: 'texts', icon: 'texts', label: 'texts', group: 'media', kinds: ['text'], keys: 'g x' },
  {
    name: 'console',
    icon: 'console',
    label: 'consoleBoard',
    group: 'media',
    kinds: ['console'],
    isOfOneRun: true,
    keys: 'g t',
  },
  { name: 'tables', icon: 'tables', label: 'tables', group: 'media', kinds: ['tables'], keys: 'g j' },
  { name: 'audio', icon: 'audio', label: 'audio', group: 'media', kinds: ['audio'], keys: 'g a' },
  {
    name: 'curves',
    icon: 'curves',
    label: 'curves',
    group: 'model',
    kinds: ['pr_curves', 'roc_curves'],
    keys: 'g c',
  },
  {
    name: 'charts',
    icon: 'charts',
    label: 'charts',
    group: 'results',
    isRare: true,
    kinds: ['custom_scalars'],
    keys: 'g u',
  },
  {
    name: 'embeddings',
    icon: 'embeddings',
    label: 'embeddings',
    group: 'model',
    kinds: ['embeddings'],
    keys: 'g e',
  },
  {
    name: 'meshes',
    icon: 'meshes',
    label: 'meshes',
    group: 'model',
    isRare: true,
    kinds: ['meshes'],
    keys: 'g m',
  },
  {
    name: 'landscapes',
    icon: 'landscapes',
    label: 'landscapes',
    group: 'model',
    isRare: true,
    kinds: ['landscapes'],
    keys: 'g l',
  },
  {
    name: 'tensors',
    icon: 'tensors',
    label: 'tensors',
    group: 'model',
    isRare: true,
    kinds: ['tensors'],
    keys: 'g n',
  },
  {
    name: 'profiler',
    icon: 'profiler',
    label: 'profiler',
    group: 'performance',
    kinds: ['profiles'],
    keys: 'g f',
  },
]
