/** Runs as the service describes them. */

import type { Run } from '@/board/runs/api'

/** A run of two scalars; `name` is also its id. */
export const sampleRun = (name: string, facts: Partial<Run> = {}): Run => ({
  id: name,
  name,
  project: '',
  display_name: '',
  dialects: ['tensorboard'],
  created_at: 1_700_000_000,
  updated_at: 1_700_000_600,
  bytes: 2048,
  counts: { scalars: 2 },
  warnings: [],
  warning_count: 0,
  has_lineage: false,
  has_profile: false,
  state: 'finished',
  tracker_status: '',
  exit_reason: '',
  started_at: 1_700_000_000,
  ended_at: 1_700_000_600,
  duration: 600,
  last_activity: 1_700_000_600,
  progress: null,
  note: '',
  labels: [],
  custom_name: '',
  colour: '',
  owner: '',
  archived: false,
  hidden: false,
  settings_version: 0,
  note_version: 0,
  labels_version: 0,
  ...facts,
})

/** A page of the list of runs. */
export const runWindow = (...runs: readonly Run[]) => ({ total: runs.length, runs })
