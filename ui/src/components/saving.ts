/** Files made in the page, handed to the browser to keep. */

import { drawPicture, type Picture } from '@/charts/picture'
import { SvgPen } from '@/charts/pen'
import type { ChartColours } from '@/charts/plot'

/** A file name from a tag: what file systems dislike becomes an underscore. */
export function fileName(title: string, ending: string): string {
  const safe = title.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 80) || 'chart'
  return `${safe}.${ending}`
}

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  saveUrl(url, name)
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

export function saveUrl(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
}

export async function savePng(picture: Picture, colours: ChartColours): Promise<void> {
  const canvas = document.createElement('canvas')
  canvas.width = picture.width * 2
  canvas.height = picture.height * 2
  const pen = canvas.getContext('2d')!
  pen.scale(2, 2)
  drawPicture(pen, picture, colours)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (blob) saveBlob(blob, fileName(picture.title, 'png'))
}

export function saveSvg(picture: Picture, colours: ChartColours): void {
  const measure = document.createElement('canvas').getContext('2d')!
  const pen = new SvgPen(picture.width, picture.height, measure)
  drawPicture(pen, picture, colours)
  saveBlob(new Blob([pen.toString()], { type: 'image/svg+xml' }), fileName(picture.title, 'svg'))
}
