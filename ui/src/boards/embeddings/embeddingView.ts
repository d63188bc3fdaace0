/** What the board of embeddings shows. */

import {
  defineView,
  fields,
  flagOff,
  list,
  oneOf,
  optionalInteger,
  optionalText,
  parsed,
  selection,
  text,
  type Field,
  type ViewOf,
} from '@/base/url/view'
import { readSceneView, writeSceneView, type SceneView } from '@/plot/scene/sceneView'
import type { Method, Metric } from './api'

interface Bounds {
  readonly least: number
  readonly most: number
  readonly isInteger: boolean
}

/** As the service allows them. */
export const BOUNDS = {
  perplexity: { least: 1, most: 1000, isInteger: false },
  iterations: { least: 10, most: 10_000, isInteger: true },
  neighbours: { least: 2, most: 1000, isInteger: true },
  minDistance: { least: 0, most: 1, isInteger: false },
  near: { least: 1, most: 1000, isInteger: true },
} as const satisfies Readonly<Record<string, Bounds>>
export type BoundedName = keyof typeof BOUNDS

/** The number in a text, clamped to its bounds; null for other texts. */
export function boundedNumber(name: BoundedName, text: string): number | null {
  const { least, most, isInteger } = BOUNDS[name]
  const value = text.trim() === '' ? NaN : Number(text)
  if (!Number.isFinite(value)) return null
  return Math.min(most, Math.max(least, isInteger ? Math.round(value) : value))
}

const bounded = (name: BoundedName, fallback: number, key: string = name): Field<number> =>
  parsed(key, fallback, (text) => boundedNumber(name, text))

const METRICS = ['euclidean', 'cosine'] as const satisfies readonly Metric[]
type Components = readonly [number, number, number]

export const embeddingView = defineView(
  fields({
    /** Selected runs; null: nothing selected yet, so the board decides. */
    runs: selection('run'),
    runFilter: text('rf'),
    tagFilter: text('q'),
    /** The embedding that is shown; null: the first there is. */
    tag: optionalText('tag'),
    /** Which of the selected runs, or series of a run, it is of; null: the first that has it. */
    of: optionalText('of'),
    source: text('source'),
    /** null: the newest, also when newer ones come. */
    step: optionalInteger('step'),
    method: oneOf<Method>('method', ['pca', 'tsne', 'umap']),
    metric: oneOf('metric', METRICS),
    perplexity: bounded('perplexity', 30),
    iterations: bounded('iterations', 750),
    neighbours: bounded('neighbours', 15),
    minDistance: bounded('minDistance', 0.1, 'min-distance'),
    near: bounded('near', 20),
    dimensions: parsed<2 | 3>('dims', 3, (text) => (text === '2' ? 2 : null)),
    /** PCA: which components lie along x, y and z; from 0. */
    components: parsed<Components>('axes', [0, 1, 2], readComponents),
    /** The column of labels that gives the colours; null: the board decides, empty: none. */
    colour: optionalText('colour'),
    /** Values of that column that are not shown. */
    off: list('off'),
    search: text('find'),
    point: parsed<number | null>('point', null, (text) => (/^\d+$/.test(text) ? Number(text) : null)),
    nearMetric: oneOf('near-metric', METRICS),
    /** The column of labels that stands beside the points; null: none. */
    names: parsed<string | null>('names', null, (text) => text || null),
    hasPictures: flagOff('pictures'),
    look: parsed<SceneView | null>('look', null, readSceneView, writeSceneView),
  }),
)

export type EmbeddingView = ViewOf<typeof embeddingView>

function readComponents(text: string): Components | null {
  return /^\d,\d,\d$/.test(text) ? (text.split(',').map(Number) as unknown as Components) : null
}
