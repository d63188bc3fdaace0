/** The pages of boards and overviews; each loads when it is opened. */

import type { Component } from 'vue'
import { loadWords } from '@/i18n'
import type { BoardName, OverviewPath } from '@/board/registry'

export const PAGES: Readonly<Record<BoardName | OverviewPath, () => Promise<Component>>> = {
  '/compare': () => import('@/boards/workspace/scalars/ScalarsPage.vue'),
  '/lineage/models': () => import('@/boards/workspace/lineage/LineagePage.vue'),
  '/lineage/data': () => import('@/boards/workspace/lineage/LineagePage.vue'),
  '/lineage/graph': () => import('./LineageGraphEntry.vue'),
  '/lineage/why': () => import('@/boards/workspace/why/WhyPage.vue'),
  scalars: () => import('@/boards/workspace/scalars/ScalarsPage.vue'),
  images: () => import('@/boards/images/ImagesPage.vue'),
  histograms: () => import('@/boards/histograms/HistogramsPage.vue'),
  graphs: () => import('@/boards/graphs/GraphPage.vue'),
  pipeline: () => import('@/boards/graphs/pipeline/PipelinePage.vue'),
  lineage: () => import('@/boards/workspace/lineageGraph/LineageGraphPage.vue'),
  texts: () => import('@/boards/texts/TextsPage.vue'),
  audio: () => import('@/boards/audio/AudioPage.vue'),
  curves: () => import('@/boards/prRoc/PrRocPage.vue'),
  charts: () => import('@/boards/workspace/customCharts/CustomChartsPage.vue'),
  embeddings: () => import('@/boards/embeddings/EmbeddingsPage.vue'),
  meshes: () => import('@/boards/meshes/MeshesPage.vue'),
  landscapes: () => import('@/boards/landscapes/LandscapesPage.vue'),
  tensors: () => import('@/boards/tensors/TensorsPage.vue'),
  hparams: () => import('@/boards/workspace/hparams/HparamsPage.vue'),
  profiler: async () => {
    const [page] = await Promise.all([import('@/boards/profiler/ProfilerPage.vue'), loadWords('profiler')])
    return page
  },
}
