/** What a run is called: its folder, after the name that people or else its writer gave it, if that says more. */

import { t } from '@/i18n'
import type { Run } from './api'
import type { NamedRun } from './runLooks'

type Names = Pick<Run, 'name' | 'display_name' | 'custom_name'>

/** Empty where the name only repeats the end of the folder's. */
function titleOf({ name, custom_name, display_name }: Names): string {
  const title = custom_name || display_name
  return `/${name}`.endsWith(`/${title}`) ? '' : title
}

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
