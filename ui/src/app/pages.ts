/** The pages of boards and overviews; each loads when it is opened. */

import type { Component } from 'vue'
import { withWords } from '@/i18n'
import type { BoardName, OverviewPath } from '@/board/registry'

export const PAGES: Readonly<Record<BoardName | OverviewPath, () => Promise<Component>>> = {
  '/lineage/graph': () => withWords('boards', () => import('./LineageGraphEntry.vue')),
  '/lineage/why': () => withWords('boards', () => import('@/boards/workspace/why/WhyPage.vue')),
  scalars: () => import('@/boards/workspace/scalars/ScalarsPage.vue'),
  images: () => withWords('boards', () => import('@/boards/images/ImagesPage.vue')),
  histograms: () => withWords('boards', () => import('@/boards/histograms/HistogramsPage.vue')),
  graphs: () => withWords('boards', () => import('@/boards/graphs/GraphPage.vue')),
  pipeline: () => withWords('boards', () => import('@/boards/graphs/pipeline/PipelinePage.vue')),
  lineage: () => withWords('boards', () => import('@/boards/workspace/lineageGraph/LineageGraphPage.vue')),
  texts: () => withWords('boards', () => import('@/boards/texts/TextsPage.vue')),
  console: () => withWords('boards', () => import('@/boards/console/ConsolePage.vue')),
  tables: () => withWords('boards', () => import('@/boards/tables/TablesPage.vue')),
  audio: () => withWords('boards', () => import('@/boards/audio/AudioPage.vue')),
  curves: () => withWords('boards', () => import('@/boards/prRoc/PrRocPage.vue')),
  charts: () => import('@/boards/workspace/customCharts/CustomChartsPage.vue'),
  embeddings: () => withWords('boards', () => import('@/boards/embeddings/EmbeddingsPage.vue')),
  meshes: () => withWords('boards', () => import('@/boards/meshes/MeshesPage.vue')),
  landscapes: () => withWords('boards', () => import('@/boards/landscapes/LandscapesPage.vue')),
  tensors: () => withWords('boards', () => import('@/boards/tensors/TensorsPage.vue')),
  profiler: () => withWords('profiler', () => import('@/boards/profiler/ProfilerPage.vue')),
}
