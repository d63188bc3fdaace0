/** How the lines of several runs, tags and sources in one chart are told apart. */

import { dashAt } from '@/base/palette'

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
  /** Of a run, and of what stands at a place in a run that is alone. */
  colourOf(run: string, place: number): string
}

/** Colour tells runs apart; with one run, what else differs: tags, then sources. Dashes tell tags and sources. */
export function lineStyle(
  { run, tag, source }: LineSource,
  { runs, tags, sources, colourOf }: Company,
): { readonly colour: string; readonly dash: readonly number[] } {
  const place = Math.max(0, sources.indexOf(source))
  const tagPlace = Math.max(0, tags.indexOf(tag))
  const hasTags = tags.length > 1
  if (runs.length === 1 && (hasTags || sources.length > 1))
    return { colour: colourOf(run, hasTags ? tagPlace : place), dash: dashAt(hasTags ? place : 0) }
  // A dash for each pair, so that it means one thing: the curve of a tag by a writer.
  return { colour: colourOf(run, 0), dash: dashAt(tagPlace * Math.max(1, sources.length) + place) }
}

/** A name that says in what a line differs from the others. */
export function lineName({ run, tag, source }: LineSource, { runs, tags }: Company, runName: string): string {
  const hasTags = tags.length > 1
  return [
    ...(runs.length > 1 || !hasTags ? [runName || run] : []),
    ...(hasTags ? [tag] : []),
    ...(source ? [source] : []),
  ].join(' · ')
}
