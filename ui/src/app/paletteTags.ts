/** Tags for the command palette where no board offers its own: those of the open or selected runs, and of the newest. */

import { BOARDS } from '@/board/registry'
import { fetchRuns, fetchRunsById, fetchTags, type Run } from '@/board/runs/api'
import { chosenRuns } from '@/base/selection'
import type { Command } from '@/base/commands'

/** Runs whose tags are searched. */
const MOST_RUNS = 8
const MOST_TAGS = 8

export interface FoundTag {
  readonly tag: string
  readonly kind: string
  /** The runs that have it, as far as they were searched. */
  readonly runs: readonly string[]
}

async function searchedRuns(open: string | null, signal: AbortSignal): Promise<readonly Run[]> {
  const first = open !== null ? [open] : (chosenRuns.value ?? []).slice(0, MOST_RUNS)
  if (first.length > 0) return fetchRunsById(first, signal)
  return (await fetchRuns({ sort: '-updated_at', limit: MOST_RUNS }, signal)).runs
}

/** Tags that contain every word of `search`, those of most runs first. */
export async function findTags(
  search: string,
  openRun: string | null,
  signal: AbortSignal,
): Promise<readonly FoundTag[]> {
  const runs = await searchedRuns(openRun, signal)
  const lists = await Promise.all(
    runs.map(async ({ id }) => ({ id, tags: (await fetchTags(id, { search }, signal)).byKind })),
  )
  const having = new Map<string, { tag: string; kind: string; runs: string[] }>()
  for (const { id, tags } of lists)
    for (const [kind, entries] of Object.entries(tags))
      for (const { tag } of entries) {
        const key = `${kind} ${tag}`
        const entry = having.get(key)
        if (entry) entry.runs.push(id)
        else having.set(key, { tag, kind, runs: [id] })
      }
  return [...having.values()].sort((a, b) => b.runs.length - a.runs.length).slice(0, MOST_TAGS)
}

/** Opens the tag in full on the board of its kind. */
export function tagCommands(
  tags: readonly FoundTag[],
  openRun: string | null,
  go: (address: { path: string; query: Record<string, string | string[]> }) => void,
): readonly Command[] {
  return tags.flatMap(({ tag, kind, runs }) => {
    const board = BOARDS.find(({ kinds }) => kinds.includes(kind))
    if (!board) return []
    const path =
      openRun !== null || board.isOfOneRun
        ? `/runs/${encodeURIComponent(openRun ?? runs[0]!)}/${board.name}`
        : `/${board.name}`
    const query = { ...(openRun === null ? { run: [...runs] } : {}), tag }
    return [{ id: `tag:${kind}:${tag}`, kind: 'tag', label: tag, run: () => go({ path, query }) }]
  })
}
