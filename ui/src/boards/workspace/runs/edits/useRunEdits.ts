/** Changes of selected runs: what is being edited, what was done last, and how it is undone. */

import { computed, shallowRef, type ComputedRef, type ShallowRef } from 'vue'
import { conflictOf, type Conflict } from '@/base/api/conflicts'
import { errorText } from '@/base/api/errorText'
import { noteRefusal } from '@/base/api/live'
import {
  changeRuns,
  changeText,
  fetchEditedRows,
  type EditedRow,
  type RunPatch,
  type TextField,
  type Undo,
} from './api'
import { w } from './words'

/** What is typed or selected before it is saved. */
export const FORMS = ['label', 'owner', 'colour', 'rename'] as const
export type Form = (typeof FORMS)[number]
/** What needs nothing else. */
export const SWITCHES = ['archive', 'unarchive', 'hide', 'unhide'] as const
export type Switch = (typeof SWITCHES)[number]

const PATCHES: Readonly<Record<Switch, RunPatch>> = {
  archive: { archived: true },
  unarchive: { archived: false },
  hide: { hidden: true },
  unhide: { hidden: false },
}

export const FIELDS: Readonly<Record<Exclude<Form, 'label'>, TextField>> = {
  owner: 'owner',
  colour: 'colour',
  rename: 'custom_name',
}

export interface OpenForm {
  readonly form: Form
  readonly rows: readonly EditedRow[]
}

/** What the last change has done. */
export interface Outcome {
  readonly text: string
  /** Undoes it, or redoes it. */
  readonly undo: Undo | null
  readonly isUndone: boolean
  readonly failed: boolean
}

/** Why something was not saved. */
export interface SaveFailure {
  readonly text: string
  /** What somebody else has saved meanwhile. */
  readonly conflict: Conflict | null
}

export interface RunEdits {
  readonly open: Readonly<ShallowRef<OpenForm | null>>
  readonly outcome: Readonly<ShallowRef<Outcome | null>>
  readonly isBusy: ComputedRef<boolean>
  begin(form: Form, runs: readonly string[]): Promise<void>
  close(): void
  /** Save what the form says, in the place of what somebody else has saved meanwhile; null: saved. */
  save(patch: RunPatch, over?: Conflict | null): Promise<SaveFailure | null>
  toggle(change: Switch, runs: readonly string[]): Promise<void>
  undo(): Promise<void>
  dismiss(): void
}

export interface Edited {
  /** After each change: the table is out of date. */
  readonly changed: () => void
  /** Rows are archived or hidden now, with all runs of theirs; gives what takes them back into the charts. */
  readonly left: (runs: readonly string[]) => () => void
}

/** Sub-runs of a training are archived and hidden with it; notes, labels and texts are those of its row. */
const allRuns = (rows: readonly EditedRow[]): readonly string[] => [
  ...new Set(rows.flatMap((row) => [row.run, ...(row.sub_runs ?? []).map(({ run }) => run)])),
]

export function useRunEdits({ changed, left }: Edited): RunEdits {
  const open = shallowRef<OpenForm | null>(null)
  const outcome = shallowRef<Outcome | null>(null)
  const busy = shallowRef(0)
  /** Runs that the last change has taken out of the charts, and what brings them back. */
  let leaving: readonly string[] = []
  let bringBack = (): void => undefined

  async function working(work: () => Promise<void>): Promise<unknown> {
    busy.value++
    try {
      await work()
      return null
    } catch (problem) {
      noteRefusal(problem)
      return problem
    } finally {
      busy.value--
    }
  }

  /** What has failed is said; one change at a time. */
  async function tried(work: () => Promise<void>): Promise<void> {
    if (busy.value > 0) return
    const problem = await working(work)
    if (problem === null) return
    const text = conflictOf(problem) ? w.value.changedSince : w.value.failed(errorText(problem))
    outcome.value = { text, undo: null, isUndone: false, failed: true }
  }

  function finish(text: string, undo: Undo | null, gone: readonly string[] = []): void {
    outcome.value = { text: undo ? text : w.value.nothingChanged, undo, isUndone: false, failed: false }
    leaving = undo ? gone : []
    if (leaving.length > 0) bringBack = left(leaving)
    changed()
  }

  return {
    open,
    outcome,
    isBusy: computed(() => busy.value > 0),
    begin: (form, runs) =>
      tried(async () => {
        const rows = await fetchEditedRows(runs)
        if (rows.length > 0) open.value = { form, rows }
      }),
    close: () => void (open.value = null),
    async save(patch, over = null) {
      if (!open.value) return null
      const { form, rows } = open.value
      const problem = await working(async () => {
        const field = form === 'label' ? null : FIELDS[form]
        const undo =
          field !== null && rows.length === 1
            ? await changeText(rows[0]!.run, field, patch[field] ?? '', {
                text: over ? String(over.current) : rows[0]![field],
                version: over?.version ?? rows[0]!.settings_version,
              })
            : await changeRuns(
                rows.map(({ run }) => run),
                patch,
              )
        finish(w.value.done[form](rows.length), undo)
        open.value = null
      })
      return problem === null ? null : { text: errorText(problem), conflict: conflictOf(problem) }
    },
    toggle: (change, runs) =>
      tried(async () => {
        const rows = await fetchEditedRows(runs)
        const all = allRuns(rows)
        const undo = await changeRuns(all, PATCHES[change])
        finish(w.value.done[change](rows.length), undo, change === 'archive' || change === 'hide' ? all : [])
      }),
    undo: () =>
      tried(async () => {
        const last = outcome.value
        if (!last?.undo) return
        const { skipped, redo } = await last.undo()
        const isUndone = !last.isUndone
        if (leaving.length > 0) {
          if (isUndone) bringBack()
          else bringBack = left(leaving)
        }
        const text = skipped > 0 ? w.value.skipped(skipped) : isUndone ? w.value.undone : w.value.redone
        outcome.value = { text, undo: redo, isUndone, failed: false }
        changed()
      }),
    dismiss: () => void (outcome.value = null),
  }
}
