/** For each board what its tile shows, and the line of code that logs something for it. */

import { defineAsyncComponent, type Component } from 'vue'
import { withWords, type WordGroup } from '@/i18n'
import TagsPreview from './TagsPreview.vue'

interface Tile {
  readonly preview: Component
  /** Of a preview that fills any room; the others are as high as what they show. */
  readonly height?: number
  readonly code: string
}

const lazily = (load: () => Promise<{ default: Component }>, group: WordGroup = 'boards'): Component =>
  defineAsyncComponent(() => withWords(group, load))

const TILES: Readonly<Record<string, Tile>> = {
  scalars: {
    preview: lazily(() => import('@/boards/workspace/scalars/ScalarsPreview.vue')),
    height: 250,
    code: 'writer.add_scalar("loss", loss, step)',
  },
  images: {
    preview: lazily(() => import('@/boards/images/ImagesPreview.vue')),
    height: 170,
    code: 'writer.add_image("samples", image, step)',
  },
  histograms: {
    preview: lazily(() => import('@/boards/histograms/HistogramsPreview.vue')),
    height: 170,
    code: 'writer.add_histogram("weights", values, step)',
  },
  graphs: {
    preview: lazily(() => import('@/boards/graphs/GraphsPreview.vue')),
    code: 'writer.add_graph(model, inputs)',
  },
  pipeline: {
    preview: lazily(() => import('@/boards/graphs/pipeline/PipelinePreview.vue')),
    code: 'mindspore.SummaryCollector("runs/first")',
  },
  texts: {
    preview: lazily(() => import('@/boards/texts/TextsPreview.vue')),
    code: 'writer.add_text("notes", "**loss** went down", step)',
  },
  console: {
    preview: lazily(() => import('@/boards/console/ConsolePreview.vue')),
    code: 'mi.init(capture_console=True)',
  },
  tables: {
    preview: lazily(() => import('@/boards/tables/TablesPreview.vue')),
    height: 190,
    code: 'wandb.log({"samples": wandb.Table(columns=columns, data=rows)})',
  },
  audio: {
    preview: lazily(() => import('@/boards/audio/AudioPreview.vue')),
    height: 150,
    code: 'writer.add_audio("tone", samples, step, sample_rate=16000)',
  },
  curves: {
    preview: lazily(() => import('@/boards/prRoc/PrRocPreview.vue')),
    height: 190,
    code: 'writer.add_pr_curve("answers", labels, predictions, step)',
  },
  embeddings: {
    preview: lazily(() => import('@/boards/embeddings/EmbeddingsPreview.vue')),
    height: 150,
    code: 'writer.add_embedding(vectors, metadata=labels)',
  },
  tensors: {
    preview: lazily(() => import('@/boards/tensors/TensorsPreview.vue')),
    code: 'writer.add_tensor("weights", tensor, step)',
  },
  meshes: {
    preview: lazily(() => import('@/boards/meshes/MeshesPreview.vue')),
    height: 190,
    code: 'writer.add_mesh("shape", vertices, faces=faces)',
  },
  landscapes: {
    preview: lazily(() => import('@/boards/landscapes/LandscapesPreview.vue')),
    height: 200,
    code: 'mindspore.SummaryLandscape("runs/first").gen_landscapes_with_multi_process(...)',
  },
  lineage: { preview: lazily(() => import('@/boards/workspace/lineageGraph/LineagePreview.vue')), code: '' },
  profiler: { preview: lazily(() => import('@/boards/profiler/ProfilePreview.vue'), 'profiler'), code: '' },
  charts: {
    preview: lazily(() => import('@/boards/workspace/customCharts/CustomChartsPreview.vue')),
    code: 'writer.add_custom_scalars({"train": {"losses": ["Multiline", ["loss/.*"]]}})',
  },
}

export const previewOf = (board: string): Component => TILES[board]?.preview ?? TagsPreview
export const heightOf = (board: string): number | null => TILES[board]?.height ?? null
export const codeOf = (board: string): string => TILES[board]?.code ?? ''
