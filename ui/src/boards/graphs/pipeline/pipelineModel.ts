/** A data pipeline as levels of a graph: the data flows from the sources down to the training. */

import type { ModelEdge, ModelLevel, ModelNode } from '@/plot/graph/model'
import { parameterText, type PipelineOperator } from './api'

export interface PipelineModel {
  readonly levels: ReadonlyMap<string, ModelLevel>
  /** Operators by the names of their nodes. */
  readonly operators: ReadonlyMap<string, { readonly operator: PipelineOperator; readonly role: Role }>
}

export type Role = 'dataset' | 'source' | 'sampler' | 'operation'

/** What people look for first; the rest is in the panel. */
const IMPORTANT = [
  'batch_size',
  'drop_remainder',
  'buffer_size',
  'shuffle_size',
  'count',
  'shuffle',
  'input_columns',
  'columns_order',
  'output_columns',
  'dataset_dir',
  'dataset_files',
  'num_shards',
  'num_samples',
  'replacement',
  'size',
  'height',
  'width',
  'mean',
  'std',
  'rescale',
  'shift',
  'prob',
  'data_type',
  'interpolation',
]
/** How the work is spread, not what is done. */
const INTERNAL: readonly string[] = ['connector_queue_size', 'num_parallel_workers', 'op_connector_size']
const MOST_LINES = 3

/** Positions in the palette. */
export const ROLE_COLOURS: Readonly<Record<Role, number>> = {
  source: 5,
  dataset: 0,
  sampler: 4,
  operation: 2,
}

/** The name of the node that stands for where the data goes. */
export const TRAINING = 'training'

export function pipelineModel(root: PipelineOperator, trainingLabel: string): PipelineModel {
  const levels = new Map<string, ModelLevel>()
  const operators = new Map<string, { operator: PipelineOperator; role: Role }>()

  function nodeOf(name: string, operator: PipelineOperator, role: Role): ModelNode {
    operators.set(name, { operator, role })
    const isHolding = putInside(name, operator)
    return {
      name,
      label: operator.name || operator.operator,
      look: isHolding ? 'scope' : role === 'source' ? 'input' : 'operator',
      lines: linesOf(operator),
      badge: '',
      canOpen: isHolding,
      colour: ROLE_COLOURS[role],
      title: operator.name || operator.operator,
    }
  }

  /** Samplers and augmentations stand inside of the operator that uses them. */
  function putInside(name: string, { sampler, operations }: PipelineOperator): boolean {
    if (!sampler && operations.length === 0) return false
    const nodes = [
      ...(sampler ? [nodeOf(`${name}/sampler`, sampler, 'sampler')] : []),
      ...operations.map((item, i) => nodeOf(`${name}/operation${i}`, item, 'operation')),
    ]
    const edges = operations
      .slice(1)
      .map((_, i) => wire(`${name}/operation${i}`, `${name}/operation${i + 1}`))
    levels.set(name, { scope: name, nodes, edges, outer: [], missing: 0 })
    return true
  }

  const nodes: ModelNode[] = []
  const edges: ModelEdge[] = []
  // Sources first, as the data flows; without recursion, since chains may be long.
  const waiting: { readonly operator: PipelineOperator; readonly name: string; readonly to: string }[] = [
    { operator: root, name: '0', to: TRAINING },
  ]
  for (let at = 0; at < waiting.length; at++) {
    const { operator, name, to } = waiting[at]!
    nodes.push(nodeOf(name, operator, operator.children.length === 0 ? 'source' : 'dataset'))
    edges.push(wire(name, to))
    operator.children.forEach((child) =>
      waiting.push({ operator: child, name: String(waiting.length), to: name }),
    )
  }
  nodes.reverse()
  nodes.push({
    name: TRAINING,
    label: trainingLabel,
    look: 'output',
    lines: [],
    badge: '',
    canOpen: false,
    colour: null,
    title: trainingLabel,
  })
  levels.set('', { scope: '', nodes, edges, outer: [], missing: 0 })
  return { levels, operators }
}

const wire = (from: string, to: string): ModelEdge => ({ from, to, kind: 'data', count: 1, label: '' })

function linesOf({ parameters }: PipelineOperator): string[] {
  const rank = ({ name }: { readonly name: string }): number => {
    const at = IMPORTANT.indexOf(name)
    return at < 0 ? IMPORTANT.length : at
  }
  return [...parameters]
    .filter(({ name, value }) => value !== null && value !== '' && !INTERNAL.includes(name))
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MOST_LINES)
    .map(({ name, value }) => `${name}: ${parameterText(value)}`)
}
