/** What the graph page shows, as a value and as the query of an address. */

import { readAddress, readList, writeAddress, writeList, type AddressParts } from '@/state/address'
import type { Camera } from './camera'
import type { Auxiliaries } from './plan'

export interface GraphView {
  /** The run chosen on the page of all runs; null: the page decides. */
  readonly run: string | null
  readonly graph: string | null
  /** Open scopes. */
  readonly open: readonly string[]
  readonly node: string | null
  /** Where the view stands; null: all in sight. */
  readonly at: Camera | null
  readonly auxiliaries: Auxiliaries
  readonly isFull: boolean
}

export function writeGraphView(view: GraphView): AddressParts {
  const query = new URLSearchParams()
  if (view.run !== null) query.append('run', view.run)
  if (view.graph !== null) query.append('graph', view.graph)
  writeList(query, 'open', view.open)
  if (view.node !== null) query.append('node', view.node)
  if (view.auxiliaries !== 'beside') query.append('aux', view.auxiliaries)
  if (view.isFull) query.append('full', '1')
  if (view.at !== null) query.append('at', writeCamera(view.at))
  return writeAddress(query)
}

export function readGraphView(query: string, hash = ''): GraphView {
  const given = readAddress(query, hash)
  const auxiliaries = given.get('aux')
  return {
    run: given.get('run'),
    graph: given.get('graph'),
    open: readList(given, 'open'),
    node: given.get('node'),
    at: readCamera(given.get('at')),
    auxiliaries: auxiliaries === 'nodes' || auxiliaries === 'hidden' ? auxiliaries : 'beside',
    isFull: given.get('full') === '1',
  }
}

export const writeCamera = ({ x, y, scale }: Camera): string => `${Math.round(x)},${Math.round(y)},${Number(scale.toPrecision(3))}`

/** Null for what is no place. */
export function readCamera(text: string | null): Camera | null {
  const numbers = (text ?? '').split(',').map(Number)
  const [x, y, scale] = numbers
  if (numbers.length !== 3 || !numbers.every(Number.isFinite) || scale! <= 0) return null
  return { x: x!, y: y!, scale: Math.min(4, Math.max(0.01, scale!)) }
}
