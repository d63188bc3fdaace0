/** Sessions of hyper-parameters as a sheet. */

import { formatTime } from '@/base/numbers'
import { columnOf, type Sheet, type SheetColumn, type SheetRow } from '@/boards/workspace/sheet/sheet'
import type { Trial, TrialColumn, Trials } from './api'
import type { w as Words } from './words'

export const SESSION = 'session'
export const RESULTS = 'metric'

type HparamWords = (typeof Words)['value']

export const rowOf = ({ run, session, runs }: Trial): SheetRow => ({ id: run, name: session, runs })

export function trialSheet({ columns, rows }: Trials, words: HparamWords): Sheet {
  return {
    rows: rows.map(rowOf),
    columns: [
      columnOf({
        key: 'status',
        label: words.status,
        group: SESSION,
        values: rows.map(({ status }) => status),
        format: (cell) => words.statuses[String(cell)] ?? String(cell),
      }),
      columnOf({
        key: 'started',
        label: words.started,
        group: SESSION,
        values: rows.map(({ started_at }) => started_at),
        format: (cell) => formatTime(Number(cell)),
      }),
      ...columns.map((info) =>
        columnOf({
          key: info.name,
          label: info.label,
          group: info.group,
          values: rows.map(({ values }) => values[info.name] ?? null),
          hint: hintOf(info, words),
        }),
      ),
    ],
  }
}

function hintOf({ label, description, domain, declared }: TrialColumn, words: HparamWords): string {
  const range =
    domain === null
      ? ''
      : 'min' in domain
        ? words.intervalOf(String(domain.min), String(domain.max))
        : words.domainOf(domain.join(', '))
  return [label, description, range, declared ? '' : words.notDeclared].filter(Boolean).join('\n')
}

/** Metrics that nobody named may be many; so many are shown at first. */
const UNNAMED_AT_FIRST = 8

export function shownAtFirst(columns: readonly SheetColumn[], trials: Trials): readonly string[] {
  const unnamed = new Set(
    trials.columns.filter(({ group, declared }) => group === 'metric' && !declared).map(({ name }) => name),
  )
  const named = columns.filter(({ key }) => !unnamed.has(key))
  return [...named, ...columns.filter(({ key }) => unnamed.has(key)).slice(0, UNNAMED_AT_FIRST)].map(
    ({ key }) => key,
  )
}
