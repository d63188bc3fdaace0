/** Meshes are logged as parts under tags of their own; here they come together again. */

import { framesOf, itemsAt, stepsOf, type Frames } from '@/board/steps/frames'
import { paneKey } from '@/board/steps/panes'
import type { MeshContent, MeshPart, MeshPartSeries } from './api'

/** Endings of tags: torch's, TensorFlow's and tensorboardX's. */
const ENDINGS: Readonly<Record<string, MeshContent>> = {
  _VERTEX: 'vertices',
  _FACE: 'faces',
  _COLOR: 'colors',
  _1: 'vertices',
  _2: 'faces',
  _3: 'colors',
}

/** The mesh to which a tag belongs, and as what. */
export function partOf(tag: string): { readonly name: string; readonly content: MeshContent } {
  for (const [ending, content] of Object.entries(ENDINGS)) {
    if (tag.endsWith(ending) && tag.length > ending.length)
      return { name: tag.slice(0, -ending.length), content }
  }
  return { name: tag, content: 'vertices' }
}

/** A mesh of one writer of a run over its steps. */
export interface MeshSeries {
  readonly key: string
  readonly run: string
  readonly source: string
  /** As of series. */
  readonly replaced: number
  readonly vertices: Frames<MeshPart>
  readonly faces: Frames<MeshPart>
  readonly colors: Frames<MeshPart>
}

/** What a mesh consists of at one step. */
export interface MeshAt {
  readonly step: number
  readonly vertices: MeshPart
  readonly faces: MeshPart | null
  readonly colors: MeshPart | null
}

export function meshSeriesOf(parts: readonly MeshPartSeries[]): readonly MeshSeries[] {
  const byWriter = new Map<string, MeshPartSeries[]>()
  for (const part of parts) {
    const key = paneKey(part.run, part.source, part.replaced)
    byWriter.set(key, [...(byWriter.get(key) ?? []), part])
  }
  return [...byWriter].map(([key, own]) => {
    const frames = (kind: MeshContent): Frames<MeshPart> =>
      framesOf(
        own.flatMap(({ tag, items }) =>
          items.filter(({ content }) => (content ?? partOf(tag).content) === kind),
        ),
      )
    return {
      key,
      run: own[0]!.run,
      source: own[0]!.source,
      replaced: own[0]!.replaced ?? 0,
      vertices: frames('vertices'),
      faces: frames('faces'),
      colors: frames('colors'),
    }
  })
}

/** The steps of a mesh are those of its points; without any, those of what else there is. */
export const stepsOfMesh = ({ vertices, faces, colors }: MeshSeries): readonly number[] =>
  vertices.steps.length > 0 ? vertices.steps : stepsOf([faces, colors])

/** What there is of a mesh while its card stands at `step`; null: no points. */
export function meshAt({ vertices, faces, colors }: MeshSeries, step: number | null): MeshAt | null {
  const points = itemsAt(vertices, step).at(-1)
  if (!points) return null
  // Faces that never change may be logged once, before.
  const before = (frames: Frames<MeshPart>): MeshPart | null => {
    const last = itemsAt(frames, points.step).at(-1) ?? null
    return last && last.step <= points.step ? last : null
  }
  return { step: points.step, vertices: points, faces: before(faces), colors: before(colors) }
}
