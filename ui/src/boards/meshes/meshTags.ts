/** The meshes of the chosen runs; their tags are those of their parts. */

import { computed } from 'vue'
import { useItemTags, type ItemTag, type TagSource } from '@/board/tags/itemTags'
import { partOf } from './meshParts'

export const MESH_KINDS = ['meshes'] as const

export interface MeshTag extends ItemTag<'meshes'> {
  /** Tags under which its parts are logged. */
  readonly parts: readonly string[]
}

/** The tags of parts as meshes. */
export function joinParts(tags: readonly ItemTag<'meshes'>[]): readonly MeshTag[] {
  const meshes = new Map<string, MeshTag>()
  for (const { tag, kinds, runs, lastStep } of tags) {
    const { name } = partOf(tag)
    const previous = meshes.get(name)
    meshes.set(name, {
      tag: name,
      kinds,
      parts: [...(previous?.parts ?? []), tag],
      runs: [...new Set([...(previous?.runs ?? []), ...runs])],
      lastStep: Math.max(lastStep, previous?.lastStep ?? -Infinity),
    })
  }
  return [...meshes.values()]
}

export function useMeshTags(runs: () => readonly string[]): TagSource<MeshTag> {
  const source = useItemTags(runs, MESH_KINDS)
  return { ...source, tags: computed(() => joinParts(source.tags.value)) }
}
