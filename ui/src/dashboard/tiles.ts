/** For each board what its tile shows, and the line of code that logs something for it. */

import { defineAsyncComponent, type Component } from 'vue'
import TagsPreview from './TagsPreview.vue'

interface Tile {
  readonly preview: Component
  readonly code: string
}

const lazily = (load: () => Promise<{ default: Component }>): Component => defineAsyncComponent(load)

const TILES: Readonly<Record<string, Tile>> = {
  scalars: { preview: lazily(() => import('./ScalarsPreview.vue')), code: 'writer.add_scalar("loss", loss, step)' },
  images: { preview: lazily(() => import('./ImagesPreview.vue')), code: 'writer.add_image("samples", image, step)' },
  histograms: { preview: lazily(() => import('./HistogramsPreview.vue')), code: 'writer.add_histogram("weights", values, step)' },
  graphs: { preview: lazily(() => import('./GraphsPreview.vue')), code: 'writer.add_graph(model, inputs)' },
  pipeline: { preview: lazily(() => import('./PipelinePreview.vue')), code: 'mindspore.SummaryCollector("runs/first")' },
  texts: { preview: lazily(() => import('./TextsPreview.vue')), code: 'writer.add_text("notes", "**loss** went down", step)' },
  audio: { preview: lazily(() => import('./AudioPreview.vue')), code: 'writer.add_audio("tone", samples, step, sample_rate=16000)' },
  curves: { preview: lazily(() => import('./CurvesPreview.vue')), code: 'writer.add_pr_curve("answers", labels, predictions, step)' },
  embeddings: { preview: lazily(() => import('./EmbeddingsPreview.vue')), code: 'writer.add_embedding(vectors, metadata=labels)' },
  tensors: { preview: lazily(() => import('./TensorsPreview.vue')), code: 'writer.add_tensor("weights", tensor, step)' },
  meshes: { preview: lazily(() => import('./MeshesPreview.vue')), code: 'writer.add_mesh("shape", vertices, faces=faces)' },
  landscapes: { preview: lazily(() => import('./LandscapesPreview.vue')), code: 'mindspore.SummaryLandscape("runs/first").gen_landscapes_with_multi_process(...)' },
  hparams: { preview: lazily(() => import('./HparamsPreview.vue')), code: 'writer.add_hparams({"lr": 0.1}, {"accuracy": 0.9})' },
  lineage: { preview: lazily(() => import('./LineagePreview.vue')), code: '' },
  charts: { preview: lazily(() => import('./ChartsPreview.vue')), code: 'writer.add_custom_scalars({"train": {"losses": ["Multiline", ["loss/.*"]]}})' },
}

export const previewOf = (board: string): Component => TILES[board]?.preview ?? TagsPreview
export const codeOf = (board: string): string => TILES[board]?.code ?? ''
