/**
 * What the comparison shows, as a value and as the query of an address.
 *
 * The address is `/compare?…`, in the same words as those of the other boards. Runs are chosen by
 *   `run=<id>` (again for each)             ids, as on every board;
 *   `q=<query>`                             all that a query of the lineage language keeps, as on the lineage boards;
 *   `find=<words>`, `re=<expression>`       all with these words in their names, or whose names match;
 *   `label=<label>` (again for each)        all with one of these labels;
 *   `all=1`                                 all there are.
 * One rule and any ids may stand together: what either has is compared, except for each `not=<id>`. A rule with `list=1` only
 * narrows the list to choose from. Links are best made with `writeCompareView({ ...EMPTY_COMPARE_VIEW, … })`.
 */

import type { Box } from '@/charts/zoom'
import { readAddress, readChoice, readList, readMap, writeAddress, writeChoice, writeList, type AddressParts } from './address'
import { readBox, writeBox } from './view'

export type RuleKind = 'find' | 're' | 'q' | 'label'

/** By what runs are looked for; only labels are several texts. */
export interface Rule {
  readonly kind: RuleKind
  readonly texts: readonly string[]
}

export type Centre = 'mean' | 'median'
export type BandKind = 'sd' | 'se' | 'ci95' | 'minmax' | 'none'
export type Reduction = 'last' | 'min' | 'max' | 'all'

export interface CompareView {
  readonly rule: Rule
  /** All that the rule finds are compared; otherwise it only narrows the list. */
  readonly isByRule: boolean
  /** Runs that are compared whatever the rule; null: nothing chosen yet. */
  readonly runs: readonly string[] | null
  /** Runs that the rule finds and that are left out. */
  readonly without: readonly string[]
  /** Ticked tags; null: those that the board begins with. */
  readonly tags: readonly string[] | null
  readonly tagFilter: string
  /** `step`, `relative`, `absolute`, or `tag:` and the tag of a scalar. */
  readonly axis: string
  readonly smoothing: number
  readonly isLogX: boolean
  readonly isLogY: boolean
  readonly ignoreOutliers: boolean
  /** A lineage column; empty: none. */
  readonly groupBy: string
  /** An expression over the names of runs; goes before `groupBy`. */
  readonly groupPattern: string
  readonly centre: Centre
  readonly band: BandKind
  readonly colourBy: string
  readonly dashBy: string
  readonly facetBy: string
  /** The run that others are measured against, or the group of that name. */
  readonly baseline: string
  /** Which values the table has. */
  readonly of: Reduction
  /** Of the table: a column, with a `-` before it to run backwards; empty: by name. */
  readonly sort: string
  readonly zooms: ReadonlyMap<string, Box>
  /** The chart shown in full screen. */
  readonly full: string | null
}

export const NO_RULE: Rule = { kind: 'find', texts: [] }

export const EMPTY_COMPARE_VIEW: CompareView = {
  rule: NO_RULE, isByRule: false, runs: null, without: [], tags: null, tagFilter: '', axis: 'step', smoothing: 0, isLogX: false, isLogY: false,
  ignoreOutliers: false, groupBy: '', groupPattern: '', centre: 'mean', band: 'sd', colourBy: '', dashBy: '', facetBy: '', baseline: '', of: 'all',
  sort: '', zooms: new Map(), full: null,
}

const RULES: readonly RuleKind[] = ['find', 're', 'q', 'label']
const CENTRES: Readonly<Record<string, Centre>> = { mean: 'mean', median: 'median' }
const BANDS: Readonly<Record<string, BandKind>> = { sd: 'sd', se: 'se', ci95: 'ci95', minmax: 'minmax', none: 'none' }
const REDUCTIONS: Readonly<Record<string, Reduction>> = { last: 'last', min: 'min', max: 'max', all: 'all' }

/** The names of plain texts in an address. */
const TEXTS = { tagFilter: 'tf', groupBy: 'group', groupPattern: 'groupre', colourBy: 'colour', dashBy: 'dash', facetBy: 'facet', baseline: 'base', sort: 'sort' } as const

const TAG_AXIS = 'tag:'

/** The scalar that the horizontal axis is, or null. */
export const axisTag = (axis: string): string | null => (axis.startsWith(TAG_AXIS) ? axis.slice(TAG_AXIS.length) : null)
export const axisOfTag = (tag: string): string => TAG_AXIS + tag

const isAxis = (text: string): boolean => ['step', 'relative', 'absolute'].includes(text) || (axisTag(text) ?? '') !== ''

/** Defaults are left out. */
export function writeCompareView(view: CompareView): AddressParts {
  const query = new URLSearchParams()
  writeList(query, view.rule.kind, view.rule.texts)
  if (view.isByRule && view.rule.texts.length === 0) query.append('all', '1')
  if (!view.isByRule && view.rule.texts.length > 0) query.append('list', '1')
  writeChoice(query, 'run', view.isByRule && view.runs?.length === 0 ? null : view.runs)
  writeList(query, 'not', view.without)
  writeChoice(query, 'tag', view.tags)
  if (view.axis !== 'step') query.append('x', view.axis)
  if (view.smoothing > 0) query.append('s', String(Number(view.smoothing.toFixed(3))))
  if (view.isLogX) query.append('xlog', '1')
  if (view.isLogY) query.append('ylog', '1')
  if (view.ignoreOutliers) query.append('outliers', 'ignore')
  if (view.centre !== 'mean') query.append('centre', view.centre)
  if (view.band !== 'sd') query.append('band', view.band)
  if (view.of !== 'all') query.append('of', view.of)
  for (const [key, name] of Object.entries(TEXTS)) {
    const text = view[key as keyof typeof TEXTS]
    if (text) query.append(name, text)
  }
  for (const [card, box] of view.zooms) query.append('z', `${writeBox(box)}@${card}`)
  if (view.full !== null) query.append('full', view.full)
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readCompareView(query: string, hash = ''): CompareView {
  const given = readAddress(query, hash)
  const kind = RULES.find((each) => given.getAll(each).some(Boolean))
  const texts = kind ? readList(given, kind).filter(Boolean) : []
  const isByRule = kind ? given.get('list') !== '1' : given.get('all') === '1'
  const smoothing = Number(given.get('s') ?? 0)
  const axis = given.get('x') ?? ''
  const plain = Object.fromEntries(Object.entries(TEXTS).map(([key, name]) => [key, given.get(name) ?? ''])) as Record<keyof typeof TEXTS, string>
  const runs = readChoice(given, 'run')
  return {
    ...plain,
    rule: kind ? { kind, texts: kind === 'label' ? texts : texts.slice(0, 1) } : NO_RULE,
    isByRule,
    runs: isByRule ? (runs ?? []) : runs,
    without: readList(given, 'not'),
    tags: readChoice(given, 'tag'),
    axis: isAxis(axis) ? axis : 'step',
    smoothing: smoothing > 0 && smoothing < 1 ? Math.min(smoothing, 0.999) : 0,
    isLogX: given.get('xlog') === '1',
    isLogY: given.get('ylog') === '1',
    ignoreOutliers: given.get('outliers') === 'ignore',
    centre: CENTRES[given.get('centre') ?? ''] ?? 'mean',
    band: BANDS[given.get('band') ?? ''] ?? 'sd',
    of: REDUCTIONS[given.get('of') ?? ''] ?? 'all',
    zooms: readMap(readList(given, 'z'), readBox),
    full: given.get('full'),
  }
}
