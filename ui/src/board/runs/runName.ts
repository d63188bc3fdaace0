/** What a run is called: its folder, after the name that people or else its writer gave it, if they gave one. */

import { t } from '@/i18n'
import type { Run } from './api'
import type { NamedRun } from './runLooks'

type Names = Pick<Run, 'name' | 'display_name' | 'custom_name'>

const titleOf = ({ custom_name, display_name }: Names): string => custom_name || display_name

export function runName(run: Names): string {
  const folder = run.name === '.' ? t.value.baseFolder : run.name
  return titleOf(run) === '' ? folder : `${titleOf(run)} (${folder})`
}

/** A run as lists of runs name it. */
export const namedRun = (run: Run): NamedRun => ({
  id: run.id,
  name: runName(run),
  title: titleOf(run),
  colour: run.colour || null,
})
