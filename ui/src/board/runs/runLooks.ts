/** How the selected runs look: short names and colours, the same in every list, chart and table of the page. */

import { shallowRef } from 'vue'
import { assignColours, colourIn, colourIndex, type RunColour } from '@/base/palette'
import { chartColours } from '@/base/theme'
import { differingNames, type DifferingName } from './differingNames'

export interface RunName extends DifferingName {
  readonly full: string
}

export interface RunLooks {
  readonly names: ReadonlyMap<string, RunName>
  readonly colours: ReadonlyMap<string, RunColour>
}

/** A run with its whole name and, where people chose one, its colour. */
export interface NamedRun {
  readonly id: string
  readonly name: string
  /** What its writer called it, if anything. */
  readonly title?: string
  readonly colour?: string | null
}

/** Names by what differs between `runs`, and colours in their order. */
export function looksOfRuns(runs: readonly NamedRun[]): RunLooks {
  const titles = new Map<string, number>()
  for (const { title } of runs) if (title) titles.set(title, (titles.get(title) ?? 0) + 1)
  const nameOf = ({ name, title }: NamedRun): string => (title && titles.get(title) === 1 ? title : name)
  const short = differingNames(runs.map(nameOf))
  const own = new Map(runs.flatMap(({ id, colour }) => (colour ? [[id, colour] as const] : [])))
  return {
    names: new Map(runs.map((run) => [run.id, { ...short.get(nameOf(run))!, full: run.name }])),
    colours: assignColours(
      runs.map(({ id }) => id),
      own,
      chartColours.value.series,
    ),
  }
}

/** Those of the runs that the page shows. */
export const runLooks = shallowRef<RunLooks>({ names: new Map(), colours: new Map() })

/**
 * The colour of a run in the theme that is shown. `own` is the one that people gave it, for a run that is not selected;
 * `place` counts the things of a run that stands alone, which have colours of their own.
 */
export function runColour(run: string, own: string | null = null, place = 0): string {
  const { series } = chartColours.value
  const colour = runLooks.value.colours.get(run) ?? (own || colourIndex(run))
  if (place === 0) return colourIn(colour, series)
  return series[((typeof colour === 'number' ? colour : colourIndex(run)) + place) % series.length]!
}

/** The whole name of a selected run, for what shows a short one. */
export const fullName = (run: string): string | undefined => runLooks.value.names.get(run)?.full
