/** Which names the patterns of layouts match. Patterns come from logs, so that they are tried where they can hold up nothing. */

import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'

/** What a pattern matches, or why that is not known. */
export type Match = readonly string[] | 'invalid' | 'slow'
export type Matches = ReadonlyMap<string, Match>

/** Names that `pattern` matches from their beginning on, as TensorBoard does. */
export function matchOf(pattern: string, names: readonly string[]): Match {
  if (isPlain(pattern)) return names.filter((name) => name.startsWith(pattern))
  try {
    const expression = scriptOf(pattern)
    return names.filter((name) => expression.test(name))
  } catch {
    return 'invalid'
  }
}

/** Most patterns are names of tags, which take no time. */
export const isPlain = (pattern: string): boolean => !/[\\^$.*+?()[\]{}|]/.test(pattern)

/** Layouts are written for Python, which has its own way with flags, named groups and the ends of a text. */
function scriptOf(pattern: string): RegExp {
  const [, flags = '', rest = pattern] = /^\(\?([aiLmsux]+)\)(.*)$/s.exec(pattern) ?? []
  const script = rest
    .replace(/\(\?P</g, '(?<')
    .replace(/\(\?P=(\w+)\)/g, '\\k<$1>')
    .replace(/\\A/g, '^')
    .replace(/\\Z/g, '$')
  return new RegExp(`^(?:${script})`, flags.replace(/[^ims]/g, ''))
}

/** However long a pattern is tried, the page goes on; what takes longer than this is given up. */
const PATIENCE_MS = 1000

export function usePatternMatches(
  patterns: () => readonly string[],
  names: () => readonly string[],
): Readonly<ShallowRef<Matches>> {
  const matches = shallowRef<Matches>(new Map())
  let worker: Worker | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  function stop(): void {
    clearTimeout(timer)
    worker?.terminate()
    worker = null
  }

  function start(): void {
    stop()
    const all = [...new Set(patterns())]
    const found = new Map(all.filter(isPlain).map((pattern) => [pattern, matchOf(pattern, names())]))
    const waiting = all.filter((pattern) => !isPlain(pattern))
    // What a pattern matched before is shown until it is known anew.
    matches.value = new Map(
      [...matches.value].filter(([pattern]) => waiting.includes(pattern)).concat([...found]),
    )
    if (waiting.length > 0) tryOut(waiting, found)
  }

  /** One after the other, so that a slow one is known by its turn. */
  function tryOut(waiting: readonly string[], found: Map<string, Match>): void {
    const [pattern, ...others] = waiting
    if (pattern === undefined) {
      stop()
      matches.value = new Map(found)
      return
    }
    worker ??= new Worker(new URL('./patternWorker.ts', import.meta.url), { type: 'module' })
    const settle = (match: Match): void => {
      clearTimeout(timer)
      found.set(pattern, match)
      tryOut(others, found)
    }
    worker.onmessage = ({ data }: MessageEvent<Match>) => settle(data)
    worker.onerror = () => settle('invalid')
    timer = setTimeout(() => {
      stop()
      settle('slow')
    }, PATIENCE_MS)
    worker.postMessage({ pattern, names: names() })
  }

  watch(() => JSON.stringify([patterns(), names()]), start, { immediate: true })
  onScopeDispose(stop)
  return matches
}
