import type * as rest from '@rest'
import { apiUrl, getJson } from '@/base/api/client'
import type { Level } from './consoleView'

export type ConsoleLine = rest.ConsoleLine
export type ConsoleWindow = rest.ConsoleWindow
export type FoundLines = rest.FoundConsoleLines

export interface LineQuery {
  readonly from?: number
  readonly at?: number
  readonly limit: number
}

/** Consecutive lines; the last ones unless a first line or a moment is given. */
export const fetchLines = (run: string, { from, at, limit }: LineQuery, signal?: AbortSignal) =>
  getJson(['runs/{run_id}/console', run], { from_line: from, at, limit }, signal)

export interface LineSearch {
  readonly find: string
  readonly level: Level
  readonly from?: number | undefined
  readonly isBackward?: boolean
  readonly limit: number
}

/** The next lines with a text and of a level; all of the console is searched, however many answers that takes. */
export async function searchLines(
  run: string,
  { find, level, from, isBackward = false, limit }: LineSearch,
  signal?: AbortSignal,
): Promise<FoundLines> {
  let next = from
  for (;;) {
    const found = await getJson(
      ['runs/{run_id}/console/search', run],
      {
        contains: find || undefined,
        level,
        from_line: next,
        backward: isBackward ? 'true' : undefined,
        limit,
      },
      signal,
    )
    if (found.lines.length > 0 || found.next_line === null) return found
    next = found.next_line
  }
}

export const fileUrl = (run: string): string => apiUrl(`runs/${encodeURIComponent(run)}/console/file`)
