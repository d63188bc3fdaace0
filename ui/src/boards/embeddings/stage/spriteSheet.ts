/** The picture that holds the small pictures of all points, loaded when there is one. */

import { ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { Sprite } from '@/boards/embeddings/api'

export interface SpriteSheet {
  readonly image: HTMLImageElement
  /** Of one picture. */
  readonly width: number
  readonly height: number
}

/** Where the picture of a point lies. */
export function spriteAt(
  { image, width, height }: SpriteSheet,
  point: number,
): { readonly x: number; readonly y: number } {
  const across = Math.max(1, Math.floor(image.naturalWidth / width))
  return { x: (point % across) * width, y: Math.floor(point / across) * height }
}

export function useSpriteSheet(sprite: () => Sprite | null): {
  readonly sheet: Readonly<ShallowRef<SpriteSheet | null>>
  readonly hasFailed: Readonly<Ref<boolean>>
} {
  const sheet = shallowRef<SpriteSheet | null>(null)
  const hasFailed = ref(false)
  watch(
    () => JSON.stringify(sprite()),
    async () => {
      const source = sprite()
      hasFailed.value = false
      sheet.value = null
      if (!source?.url) return
      const image = new Image()
      image.src = source.url
      const isStill = (): boolean => sprite()?.url === source.url
      try {
        await image.decode()
        if (isStill()) sheet.value = { image, width: source.width, height: source.height }
      } catch {
        if (isStill()) hasFailed.value = true
      }
    },
    { immediate: true },
  )
  return { sheet, hasFailed }
}
