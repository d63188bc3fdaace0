/** How the lines of several runs, tags and sources in one chart are told apart. */

import { colourIndex, dashAt } from './palette'

export interface LineSource {
  readonly run: string
  readonly tag: string
  readonly source: string
}

/** All that share the chart. */
export interface Company {
  readonly runs: readonly string[]
  readonly tags: readonly string[]
  readonly sources: readonly string[]
  readonly dashes: ReadonlyMap<string, number>
}

/** Colour tells runs apart; with one run, what else differs: tags, then sources. Dashes tell the rest. */
export function lineStyle({ run, tag, source }: LineSource, { runs, tags, sources, dashes }: Company, colours: readonly string[]): { readonly colour: string; readonly dash: readonly number[] } {
  const place = Math.max(0, sources.indexOf(source))
  const tagPlace = Math.max(0, tags.indexOf(tag))
  const hasTags = tags.length > 1
  if (runs.length === 1 && (hasTags || sources.length > 1)) {
    return { colour: colours[(colourIndex(run) + (hasTags ? tagPlace : place)) % colours.length]!, dash: dashAt(hasTags ? place : 0) }
  }
  return { colour: colours[colourIndex(run)]!, dash: dashAt(hasTags ? tagPlace : (dashes.get(run) ?? 0) + place) }
}

/** A name that says in what a line differs from the others. */
export function lineName({ run, tag, source }: LineSource, { runs, tags }: Company, runName: string): string {
  const hasTags = tags.length > 1
  return [...(runs.length > 1 || !hasTags ? [runName || run] : []), ...(hasTags ? [tag] : []), ...(source ? [source] : [])].join(' · ')
}
