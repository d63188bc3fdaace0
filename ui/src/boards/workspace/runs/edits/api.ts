/** Names, colours, owners, labels and states of runs, which people change; the logs stay as they are. */

import type { RunRow } from '@rest'
import { sendJson } from '@/base/api/client'

/** A row of the table with what people have set of it; sub-runs of one training are one row. */
export type EditedRow = Pick<
  RunRow,
  | 'run'
  | 'name'
  | 'display_name'
  | 'custom_name'
  | 'colour'
  | 'owner'
  | 'labels'
  | 'archived'
  | 'hidden'
  | 'settings_version'
> & { readonly sub_runs?: RunRow['sub_runs'] }

/** What is changed; everything else stays. */
export interface RunPatch {
  readonly custom_name?: string
  readonly colour?: string
  readonly owner?: string
  readonly archived?: boolean
  readonly hidden?: boolean
  readonly add_labels?: readonly string[]
  readonly remove_labels?: readonly string[]
}

/** Takes a change back; gives what makes it again. */
export type Undo = () => Promise<Undone>

export interface Undone {
  /** Of the runs, those that somebody has changed since, which stay as they are. */
  readonly skipped: number
  /** null: nothing is left to do again. */
  readonly redo: Undo | null
}

const MOST_ROWS = 10_000

/** The rows of the table that have these runs, as they are now. */
export async function fetchEditedRows(runs: readonly string[]): Promise<readonly EditedRow[]> {
  const { rows } = await sendJson('post', 'runs/table', {
    runs: [...runs],
    columns: ['run'],
    show: 'all',
    sub_runs: 'folded',
    limit: MOST_ROWS,
  })
  return rows
}

/** Make one change of many runs, whatever they have now; null: nothing is different now. */
export async function changeRuns(runs: readonly string[], patch: RunPatch): Promise<Undo | null> {
  const { undo } = await sendJson('patch', 'runs', { run: [...runs], ...copied(patch) })
  return undoWith(undo)
}

function undoWith(token: string): Undo | null {
  if (token === '') return null
  return async () => {
    const { changed, runs, undo } = await sendJson('post', 'runs/undo', { token })
    return { skipped: runs.length - changed, redo: undoWith(undo) }
  }
}

export type TextField = 'custom_name' | 'colour' | 'owner'

/** Change a text of one run, unless somebody else has changed its texts since it was `before`. */
export async function changeText(
  run: string,
  field: TextField,
  text: string,
  before: { readonly text: string; readonly version: number },
): Promise<Undo> {
  const change =
    (next: string, last: string, version: number): Undo =>
    async () => {
      const saved = await sendJson('patch', ['runs/{run_id}', run], {
        [field]: next,
        settings_version: version,
      })
      return { skipped: 0, redo: change(last, next, saved.settings_version) }
    }
  return (await change(text, before.text, before.version)()).redo!
}

const copied = ({ add_labels, remove_labels, ...rest }: RunPatch) => ({
  ...rest,
  ...(add_labels ? { add_labels: [...add_labels] } : {}),
  ...(remove_labels ? { remove_labels: [...remove_labels] } : {}),
})
