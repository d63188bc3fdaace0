/** What the page of data pipelines shows, as a value and as the query of an address. */

import { readAddress, readList, writeAddress, writeList, type AddressParts } from '@/state/address'
import type { Camera } from './camera'
import { readCamera, writeCamera } from './view'

export interface PipelineView {
  /** Which of the recorded pipelines, from 0. */
  readonly which: number
  /** Operators whose inside is not shown. */
  readonly closed: readonly string[]
  readonly node: string | null
  readonly at: Camera | null
  readonly isFull: boolean
}

export function writePipelineView(view: PipelineView): AddressParts {
  const query = new URLSearchParams()
  if (view.which > 0) query.append('pipeline', String(view.which))
  writeList(query, 'closed', view.closed)
  if (view.node !== null) query.append('node', view.node)
  if (view.isFull) query.append('full', '1')
  if (view.at !== null) query.append('at', writeCamera(view.at))
  return writeAddress(query)
}

export function readPipelineView(query: string, hash = ''): PipelineView {
  const given = readAddress(query, hash)
  const which = Number(given.get('pipeline') ?? 0)
  return {
    which: Number.isInteger(which) && which > 0 ? which : 0,
    closed: readList(given, 'closed'),
    node: given.get('node'),
    at: readCamera(given.get('at')),
    isFull: given.get('full') === '1',
  }
}
