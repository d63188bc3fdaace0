/** Named sets of columns with order and groups: built-in ones, and those that people have saved for everybody. */

import type { ColumnSet } from '@rest'
import { deleteJson, getJson, sendJson } from '@/base/api/client'

export type { ColumnSet }

export const fetchColumnSets = async (signal?: AbortSignal): Promise<readonly ColumnSet[]> =>
  (await getJson('runs/table/column-sets', {}, signal)).sets

/** Saves a set as it was seen: a version of 0 is a new one. Refused when somebody else has changed it since. */
export const saveColumnSet = (
  set: Pick<ColumnSet, 'name' | 'columns' | 'sort' | 'group_by' | 'version'>,
): Promise<ColumnSet> => sendJson('put', 'runs/table/column-sets', { ...set })

export async function deleteColumnSet({ name, version }: ColumnSet): Promise<void> {
  await deleteJson('runs/table/column-sets', { name, version })
}
