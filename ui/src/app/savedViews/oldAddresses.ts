/** Addresses of pages that became column sets of the runs table, as addresses of that: links and saved views keep working. */

import { readAddress, writeAddress } from '@/base/url/address'
import type { Label } from '@/board/registry'

interface OldPage {
  readonly path: string
  readonly label: Label
  readonly set: string
  /** Parameters that are called otherwise now; null: nothing there is of that kind any more. */
  readonly renamed: Readonly<Record<string, string | null>>
  /** The column that a name stands for. */
  column(name: string, params: URLSearchParams): string
}

/** Parameters of columns: as they are, with a sign in front, or behind `value@`. */
const COLUMN_PARAMETERS: Readonly<
  Record<string, (text: string, column: (name: string) => string) => string>
> = {
  col: (text, column) => (text === 'none' ? text : column(text)),
  axis: (text, column) => column(text),
  colour: (text, column) => (text === '' ? text : column(text)),
  sort: (text, column) => (text.startsWith('-') ? `-${column(text.slice(1))}` : column(text)),
  keep: afterAt,
  scale: afterAt,
}
function afterAt(text: string, column: (name: string) => string): string {
  const at = text.indexOf('@') + 1
  return text.slice(0, at) + column(text.slice(at))
}

/** Of the session, what a run is called; of metrics the value of their curve that was selected. */
function columnOfTrials(name: string, params: URLSearchParams): string {
  const own: Readonly<Record<string, string>> = { name: 'run', status: 'state', started: 'started_at' }
  if (name.startsWith('hparam.')) return `hparam/${name.slice('hparam.'.length)}`
  if (name.startsWith('metric.'))
    return `scalar/${name.slice('metric.'.length)}/${params.get('metric') ?? 'last'}`
  return own[name] ?? name
}
const columnOfLineage = (name: string): string => (name === 'name' ? 'run' : name)

const LINEAGE = { renamed: { q: 'query', all: null }, column: columnOfLineage }
const TRIALS = {
  label: 'hparams',
  set: 'hparams',
  renamed: { q: 'query', metric: null },
  column: columnOfTrials,
} as const

export const OLD_PAGES: readonly OldPage[] = [
  { path: '/lineage/models', label: 'modelLineage', set: 'models', ...LINEAGE },
  { path: '/lineage/data', label: 'dataLineage', set: 'data', ...LINEAGE },
  { path: '/hparams', ...TRIALS },
  { path: '/runs/:run/hparams', ...TRIALS },
]

/** Belongs to the reader, not to what is shown. */
const OF_READERS: readonly string[] = ['lang', 'token']

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(':run', '([^/]+)')}/?$`)

/** The address by which a page is reached today. */
export function presentAddress(address: string): string {
  const [, path = '', query = '', hash = ''] = /^([^?#]*)\??([^#]*)#?(.*)$/.exec(address)!
  for (const page of OLD_PAGES) {
    const match = patternOf(page.path).exec(path)
    if (!match) continue
    const old = readAddress(query, hash)
    const params = new URLSearchParams({ set: page.set, show: 'table' })
    if (match[1]) params.append('run', decodeURIComponent(match[1]))
    // Who had set anything looked at runs, not at the pipelines that they share.
    if (page.set === 'data' && [...old.keys()].some((key) => !OF_READERS.includes(key)))
      params.append('by', 'none')
    for (const [key, value] of old) {
      const name = key in page.renamed ? page.renamed[key] : key
      if (name)
        params.append(name, COLUMN_PARAMETERS[key]?.(value, (column) => page.column(column, old)) ?? value)
    }
    const written = writeAddress(params)
    return `/runs${written.query && `?${written.query}`}${written.hash && `#${written.hash}`}`
  }
  return address
}
