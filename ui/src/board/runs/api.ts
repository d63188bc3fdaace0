import type * as rest from '@rest'
import { getJson } from '@/base/api/client'

export type MoreTags = rest.MoreTags
export type Tag = rest.Tag
export type Warning = rest.LogWarning
export type Run = rest.Run
export type RunWithFiles = rest.RunDetails
export type RunWindow = rest.RunPage

export interface RunQuery {
  /** Only runs with data of one of these kinds. */
  readonly kinds?: readonly string[]
  readonly search?: string
  readonly sort?: string
  readonly offset?: number
  readonly limit?: number
}

export async function fetchRuns(query: RunQuery, signal?: AbortSignal): Promise<RunWindow> {
  const { kinds = [], search, sort, offset, limit } = query
  return getJson(
    'runs',
    { ...(kinds.length > 0 ? { kind: kinds } : {}), search: search || undefined, sort, offset, limit },
    signal,
  )
}

/** Runs per request when all are needed. */
const BULK = 2000

export async function fetchAllRuns(
  query: Omit<RunQuery, 'offset' | 'limit'>,
  signal?: AbortSignal,
): Promise<readonly Run[]> {
  const all: Run[] = []
  for (;;) {
    const { total, runs } = await fetchRuns({ ...query, offset: all.length, limit: BULK }, signal)
    all.push(...runs)
    if (all.length >= total || runs.length === 0) return all
  }
}

/** Ids that fit into the address of one request. */
const IDS_AT_ONCE = 60

/** The runs with these ids; unknown ones are left out. */
export async function fetchRunsById(ids: readonly string[], signal?: AbortSignal): Promise<Run[]> {
  const parts: Promise<RunWindow>[] = []
  for (let i = 0; i < ids.length; i += IDS_AT_ONCE)
    parts.push(getJson('runs', { run: ids.slice(i, i + IDS_AT_ONCE) }, signal))
  return (await Promise.all(parts)).flatMap(({ runs }) => runs)
}

export async function fetchRun(id: string, signal?: AbortSignal): Promise<RunWithFiles> {
  return getJson(['runs/{run_id}', id], {}, signal)
}

/** The first tags of a run by name, for each kind. */
export interface TagLists {
  readonly byKind: Readonly<Record<string, readonly Tag[]>>
  /** For the kinds that have more. */
  readonly more: Readonly<Record<string, MoreTags>>
}

export interface TagSelection {
  readonly kinds?: readonly string[]
  readonly search?: string
}

export async function fetchTags(
  id: string,
  { kinds = [], search = '' }: TagSelection = {},
  signal?: AbortSignal,
): Promise<TagLists> {
  const selection = { ...(kinds.length > 0 ? { kind: kinds } : {}), ...(search === '' ? {} : { search }) }
  const { more = {}, ...byKind } = await getJson(['runs/{run_id}/tags', id], selection, signal)
  return { byKind, more }
}
