/**
 * What the curve workspace shows.
 *
 * The address is `/scalars?…`. Runs are selected by
 *   `run=<id>` (again for each)             ids, as on every board;
 *   `query=<query>`                         all that a query of the lineage language finds;
 *   `find=<words>`, `re=<expression>`       all with these words in their names, or whose names match;
 *   `label=<label>` (again for each)        all with one of these labels;
 *   `all=1`                                 all there are.
 * One rule and any ids may stand together: what either has is shown, except for each `not=<id>`. A rule with `list=1` only
 * narrows the list to select from. Links are best made with `scalarView.write({ ...scalarView.defaults, … })`.
 */

import { locationAt, type Location } from '@/base/url/useView'
import { defineView, fields, list, oneOf, selection, text, type ViewOf, type ViewPart } from '@/base/url/view'
import { CARD_FIELDS } from '@/board/tags/tagView'
import { CHART_FIELDS } from './chartFields'

export { CHART_FIELDS }

/** The name under which the combined chart keeps its zoom, scale and limits; no tag is empty. */
export const COMBINED = ''

const RULES = ['find', 're', 'query', 'label'] as const
export type RuleKind = (typeof RULES)[number]

/** By what runs are looked for; only labels are several texts. */
export interface Rule {
  readonly kind: RuleKind
  readonly texts: readonly string[]
}

interface Selection {
  readonly rule: Rule
  /** All runs that match the rule are shown; otherwise it only narrows the list. */
  readonly isByRule: boolean
  /** Runs that are shown whatever the rule; null: nothing selected yet. */
  readonly runs: readonly string[] | null
  /** Not used here: the rule narrows the list. */
  readonly runFilter: string
}

export const NO_RULE: Rule = { kind: 'find', texts: [] }

const ids = selection('run')
const SELECTION: ViewPart<Selection> = {
  defaults: { rule: NO_RULE, isByRule: false, runs: null, runFilter: '' },
  read(params) {
    const kind = RULES.find((each) => params.getAll(each).some(Boolean))
    const texts = kind ? list(kind).read(params).filter(Boolean) : []
    const isByRule = kind ? params.get('list') !== '1' : params.get('all') === '1'
    // The filter of the list of runs, in addresses of 0.1.0.
    const filter = kind ? '' : (params.get('rf') ?? '')
    const rule: Rule = kind
      ? { kind, texts: kind === 'label' ? texts : texts.slice(0, 1) }
      : filter
        ? { kind: 're', texts: [filter] }
        : NO_RULE
    return { rule, isByRule, runs: ids.read(params) ?? (isByRule ? [] : null), runFilter: '' }
  },
  write(params, { rule, isByRule, runs }) {
    list(rule.kind).write(params, rule.texts)
    if (isByRule && rule.texts.length === 0) params.append('all', '1')
    if (!isByRule && rule.texts.length > 0) params.append('list', '1')
    ids.write(params, isByRule && runs?.length === 0 ? null : runs)
  },
}

export const scalarView = defineView(
  SELECTION,
  CARD_FIELDS,
  CHART_FIELDS,
  fields({
    /** Runs that match the rule and are left out. */
    without: list('not'),
    /** How many runs are drawn: lines, a band where there are too many, or always one of them. */
    drawing: oneOf('draw', ['auto', 'lines', 'band']),
    centre: oneOf('centre', ['mean', 'median']),
    band: oneOf('band', ['sd', 'se', 'ci95', 'p10p90', 'minmax', 'none']),
    /** Which values the table has. */
    of: oneOf('of', ['all', 'last', 'min', 'max']),
    /** A lineage column; empty: none. */
    groupBy: text('group'),
    /** A regular expression over run names; takes precedence over `groupBy`. */
    groupPattern: text('groupre'),
    colourBy: text('colour'),
    dashBy: text('dash'),
    facetBy: text('facet'),
    /** The run that others are measured against, or the group of that name. */
    baseline: text('base'),
    /** Of the table: a column, with a `-` before it for descending order; empty: by name. */
    sort: text('sort'),
    /** Charts that people made: `name = expression`. */
    metrics: list('metric'),
  }),
)

export type ScalarView = ViewOf<typeof scalarView>
export type Centre = ScalarView['centre']
export type BandKind = ScalarView['band']
export type Reduction = ScalarView['of']

/** Where the router finds the board at `path` with this view. */
export const locationOf = (path: string, view: ScalarView): Location =>
  locationAt(path, scalarView.write(view))
