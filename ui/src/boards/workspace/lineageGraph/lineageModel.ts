/** The surroundings of a run as one level of a graph: data on top, what came of it below. */

import { formatBytes } from '@/base/numbers'
import type { ModelEdge, ModelLevel, ModelNode } from '@/plot/graph/model'
import type { LineageEdge, LineageNeighbourhood, LineageNode, NodeKind } from './api'
import { valueText } from './recordValues'

/** Positions in the palette. */
export const KIND_COLOURS: Readonly<Record<NodeKind, number>> = {
  data: 5,
  run: 0,
  checkpoint: 2,
  evaluation: 4,
}
export const KINDS: readonly NodeKind[] = ['data', 'run', 'checkpoint', 'evaluation']

const MOST_LINES = 3
const HASH_LETTERS = 10

/** `sha256:1234…`: enough of a hash to tell things apart by eye. */
export function shortHash(hash: string): string {
  const at = hash.indexOf(':') + 1
  return hash.length - at > HASH_LETTERS ? `${hash.slice(0, at + HASH_LETTERS)}…` : hash
}

function linesOf({ kind, details, run }: LineageNode): string[] {
  if (kind === 'run' && !run) return []
  if (kind === 'run' || kind === 'evaluation')
    return Object.entries(details)
      .slice(0, MOST_LINES)
      .map(([name, value]) => `${name}: ${valueText(value)}`)
  const { bytes, hash } = details
  return [
    ...(typeof bytes === 'number' ? [formatBytes(bytes)] : []),
    ...(typeof hash === 'string' ? [shortHash(hash)] : []),
  ]
}

/** The last part of a run's name says most; the folders before it stand below. */
const labelOf = ({ kind, label }: LineageNode): string =>
  kind === 'run' ? label.slice(label.lastIndexOf('/') + 1) : label
const folderOf = ({ kind, label }: LineageNode): readonly string[] =>
  kind === 'run' && label.includes('/') ? [label.slice(0, label.lastIndexOf('/'))] : []

export interface GraphWords {
  readonly relations: Readonly<Record<string, string>>
  readonly kinds: Readonly<Record<NodeKind, string>>
}

/** What the service calls things that have no name of their own. */
const isUnnamed = ({ kind, label }: LineageNode): boolean => label === kind

export const nameOf = (node: LineageNode, words: GraphWords): string =>
  isUnnamed(node) ? words.kinds[node.kind] : node.label

/** `run` is the one whose surroundings these are. */
export function lineageLevel(
  { nodes, edges }: LineageNeighbourhood,
  run: string,
  words: GraphWords,
): ModelLevel {
  const model = nodes.map((node): ModelNode => ({
    name: node.id,
    label: isUnnamed(node) ? words.kinds[node.kind] : labelOf(node),
    title: nameOf(node, words),
    look: node.id === run ? 'input' : 'operator',
    lines: [...folderOf(node), ...linesOf(node)],
    badge: '',
    canOpen: false,
    colour: KIND_COLOURS[node.kind],
    glyph: node.kind,
  }))
  const kinds = new Map(nodes.map(({ id, kind }) => [id, kind]))
  return {
    scope: '',
    nodes: model,
    edges: edges.filter(({ source, target }) => source !== target).map((edge) => wireOf(edge, kinds, words)),
    outer: [],
    missing: 0,
  }
}

/** From run to run the relation is told; elsewhere the kinds of both ends say it. */
function wireOf(
  { source, target, relation }: LineageEdge,
  kinds: ReadonlyMap<string, NodeKind>,
  { relations }: GraphWords,
): ModelEdge {
  const isBetweenRuns = kinds.get(source) === 'run' && kinds.get(target) === 'run'
  return {
    from: source,
    to: target,
    kind: isBetweenRuns ? 'control' : 'data',
    count: 1,
    label: isBetweenRuns ? (relations[relation] ?? relation) : '',
  }
}

export interface Neighbour {
  readonly node: LineageNode
  readonly relation: string
}

/** What leads to a node, and what it leads to. */
export function neighboursIn(
  { nodes, edges }: LineageNeighbourhood,
  id: string,
): { readonly before: readonly Neighbour[]; readonly after: readonly Neighbour[] } {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const found = (ends: readonly (readonly [string, string])[]): readonly Neighbour[] =>
    ends.flatMap(([target, relation]) => {
      const node = byId.get(target)
      return node ? [{ node, relation }] : []
    })
  return {
    before: found(
      edges.filter(({ target }) => target === id).map(({ source, relation }) => [source, relation]),
    ),
    after: found(
      edges.filter(({ source }) => source === id).map(({ target, relation }) => [target, relation]),
    ),
  }
}
