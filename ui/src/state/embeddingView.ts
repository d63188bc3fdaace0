/** What the board of embeddings shows, as a value and as the query of an address. */

import type { Method, Metric } from '@/api/embeddings'
import { readSceneView, writeSceneView, type SceneView } from '@/scene/view'
import { readAddress, readChoice, readList, writeAddress, writeChoice, writeList, type AddressParts } from './address'

export interface EmbeddingView {
  /** Chosen runs; null: nothing chosen yet, so the board decides. */
  readonly runs: readonly string[] | null
  readonly runFilter: string
  readonly tagFilter: string
  /** The embedding that is shown; null: the first there is. */
  readonly tag: string | null
  /** Which of the chosen runs, or series of a run, it is of; null: the first that has it. */
  readonly of: string | null
  readonly source: string
  /** null: the newest, also when newer ones come. */
  readonly step: number | null
  readonly method: Method
  readonly metric: Metric
  readonly perplexity: number
  readonly iterations: number
  readonly neighbours: number
  readonly minDistance: number
  readonly dimensions: 2 | 3
  /** PCA: which components lie along x, y and z; from 0. */
  readonly components: readonly [number, number, number]
  /** The column of labels that gives the colours; null: the board decides, empty: none. */
  readonly colour: string | null
  /** Values of that column that are not shown. */
  readonly off: readonly string[]
  readonly search: string
  readonly point: number | null
  readonly near: number
  readonly nearMetric: Metric
  /** The column of labels that stands beside the points; null: none. */
  readonly names: string | null
  readonly hasPictures: boolean
  readonly look: SceneView | null
}

export const EMPTY_EMBEDDING_VIEW: EmbeddingView = {
  runs: null, runFilter: '', tagFilter: '', tag: null, of: null, source: '', step: null, method: 'pca', metric: 'euclidean', perplexity: 30, iterations: 750,
  neighbours: 15, minDistance: 0.1, dimensions: 3, components: [0, 1, 2], colour: null, off: [], search: '', point: null, near: 20, nearMetric: 'euclidean',
  names: null, hasPictures: true, look: null,
}

const METHODS: Readonly<Record<string, Method>> = { pca: 'pca', tsne: 'tsne', umap: 'umap' }

interface Bounded {
  readonly key: string
  readonly name: 'perplexity' | 'iterations' | 'neighbours' | 'minDistance' | 'near'
  readonly least: number
  readonly most: number
  readonly isWhole: boolean
}

/** As the service allows them. */
export const NUMBERS: readonly Bounded[] = [
  { key: 'perplexity', name: 'perplexity', least: 1, most: 1000, isWhole: false },
  { key: 'iterations', name: 'iterations', least: 10, most: 10_000, isWhole: true },
  { key: 'neighbours', name: 'neighbours', least: 2, most: 1000, isWhole: true },
  { key: 'min-distance', name: 'minDistance', least: 0, most: 1, isWhole: false },
  { key: 'near', name: 'near', least: 1, most: 1000, isWhole: true },
]

/** The number a text stands for, brought between the bounds; null when it is none. */
export function boundedNumber(name: Bounded['name'], text: string): number | null {
  const { least, most, isWhole } = NUMBERS.find((each) => each.name === name)!
  const value = text.trim() === '' ? NaN : Number(text)
  if (!Number.isFinite(value)) return null
  return Math.min(most, Math.max(least, isWhole ? Math.round(value) : value))
}

/** Defaults are left out. */
export function writeEmbeddingView(view: EmbeddingView): AddressParts {
  const empty = EMPTY_EMBEDDING_VIEW
  const query = new URLSearchParams()
  const text = (key: string, value: string | null, absent: string | null): void => {
    if (value !== null && value !== absent) query.append(key, value)
  }
  writeChoice(query, 'run', view.runs)
  text('rf', view.runFilter, '')
  text('q', view.tagFilter, '')
  text('tag', view.tag, null)
  text('of', view.of, null)
  text('source', view.source, '')
  if (view.step !== null) query.append('step', String(view.step))
  text('method', view.method, empty.method)
  text('metric', view.metric, empty.metric)
  for (const { key, name } of NUMBERS) if (view[name] !== empty[name]) query.append(key, String(view[name]))
  if (view.dimensions !== empty.dimensions) query.append('dims', String(view.dimensions))
  text('axes', view.components.join(','), empty.components.join(','))
  text('colour', view.colour, null)
  writeList(query, 'off', view.off)
  text('find', view.search, '')
  if (view.point !== null) query.append('point', String(view.point))
  text('near-metric', view.nearMetric, empty.nearMetric)
  text('names', view.names, null)
  if (!view.hasPictures) query.append('pictures', '0')
  if (view.look) query.append('look', writeSceneView(view.look))
  return writeAddress(query)
}

const readWhole = (text: string | null): number | null => (text !== null && /^-?\d+$/.test(text) ? Number(text) : null)
const readMetric = (text: string | null): Metric => (text === 'cosine' ? 'cosine' : 'euclidean')

function readComponents(text: string | null): EmbeddingView['components'] {
  const numbers = (text ?? '').split(',').map((part) => (/^\d$/.test(part) ? Number(part) : NaN))
  const [x = 0, y = 1, z = 2] = numbers
  return numbers.length === 3 && numbers.every((number) => !Number.isNaN(number)) ? [x, y, z] : EMPTY_EMBEDDING_VIEW.components
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readEmbeddingView(query: string, hash = ''): EmbeddingView {
  const given = readAddress(query, hash)
  const number = (name: Bounded['name']): number =>
    boundedNumber(name, given.get(NUMBERS.find((each) => each.name === name)!.key) ?? '') ?? EMPTY_EMBEDDING_VIEW[name]
  const point = readWhole(given.get('point'))
  return {
    runs: readChoice(given, 'run'),
    runFilter: given.get('rf') ?? '',
    tagFilter: given.get('q') ?? '',
    tag: given.get('tag'),
    of: given.get('of'),
    source: given.get('source') ?? '',
    step: readWhole(given.get('step')),
    method: METHODS[given.get('method') ?? ''] ?? 'pca',
    metric: readMetric(given.get('metric')),
    perplexity: number('perplexity'),
    iterations: number('iterations'),
    neighbours: number('neighbours'),
    minDistance: number('minDistance'),
    dimensions: given.get('dims') === '2' ? 2 : 3,
    components: readComponents(given.get('axes')),
    colour: given.get('colour'),
    off: readList(given, 'off'),
    search: given.get('find') ?? '',
    point: point !== null && point >= 0 ? point : null,
    near: number('near'),
    nearMetric: readMetric(given.get('near-metric')),
    names: given.get('names') || null,
    hasPictures: given.get('pictures') !== '0',
    look: readSceneView(given.get('look') ?? ''),
  }
}
