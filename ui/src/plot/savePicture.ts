/** Charts as PNG and SVG files. */

import { fileName, saveBlob } from '@/base/saveFile'
import type { ChartColours } from '@/base/theme'
import { drawPicture, type Picture } from './picture'
import { SvgPen } from './pen'

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
