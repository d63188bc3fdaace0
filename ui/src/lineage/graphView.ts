/** What the lineage graph of a run shows, as a value and as the query of an address. */

import type { Camera } from '@/graph/camera'
import { readCamera, writeCamera } from '@/graph/view'
import { readAddress, writeAddress, type AddressParts } from '@/state/address'

export interface LineageGraphView {
  /** How many steps from run to run are gone. */
  readonly depth: number
  /** null: the run itself. */
  readonly node: string | null
  readonly at: Camera | null
  readonly isFull: boolean
}

export const DEPTHS = [0, 1, 2, 3, 5, 10] as const
const USUAL_DEPTH = 2

export function writeLineageGraphView(view: LineageGraphView): AddressParts {
  const query = new URLSearchParams()
  if (view.depth !== USUAL_DEPTH) query.append('depth', String(view.depth))
  if (view.node !== null) query.append('node', view.node)
  if (view.isFull) query.append('full', '1')
  if (view.at !== null) query.append('at', writeCamera(view.at))
  return writeAddress(query)
}

/** What cannot be understood is left at its default. */
export function readLineageGraphView(query: string, hash = ''): LineageGraphView {
  const given = readAddress(query, hash)
  const depth = Number(given.get('depth') ?? USUAL_DEPTH)
  return {
    depth: DEPTHS.find((each) => each === depth) ?? USUAL_DEPTH,
    node: given.get('node'),
    at: readCamera(given.get('at')),
    isFull: given.get('full') === '1',
  }
}
