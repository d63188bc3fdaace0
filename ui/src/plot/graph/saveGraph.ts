/** The whole drawing as a file. */

import { fileName, saveBlob } from '@/base/saveFile'
import { SvgPen } from '@/plot/pen'
import { drawScene, type Drawing } from './drawGraph'

export type Look = Pick<Drawing, 'scene' | 'colours' | 'fit' | 'selected' | 'traced' | 'isNamed'>

const MARGIN = 24
/** Browsers refuse larger canvases. */
const LONGEST_SIDE = 12_000
const MOST_PIXELS = 100_000_000

const sizeOf = ({ scene }: Look): readonly [number, number] => [
  Math.ceil(scene.width) + 2 * MARGIN,
  Math.ceil(scene.height) + 2 * MARGIN,
]

function draw(pen: Parameters<typeof drawScene>[0], look: Look): void {
  const [width, height] = sizeOf(look)
  pen.fillStyle = look.colours.background
  pen.fillRect(0, 0, width, height)
  pen.translate(MARGIN, MARGIN)
  drawScene(pen, {
    ...look,
    hovered: null,
    wireAlpha: 1,
    scale: 1,
    view: { x: -MARGIN, y: -MARGIN, width, height },
  })
}

export function graphSvg(look: Look): string {
  const pen = new SvgPen(...sizeOf(look), document.createElement('canvas').getContext('2d')!)
  draw(pen, look)
  return pen.toString()
}

export function saveGraphSvg(look: Look, title: string): void {
  saveBlob(new Blob([graphSvg(look)], { type: 'image/svg+xml' }), fileName(title, 'svg'))
}

/** Twice as fine as the screen where that is possible. */
export async function saveGraphPng(look: Look, title: string): Promise<void> {
  const [width, height] = sizeOf(look)
  const scale = Math.min(
    2,
    LONGEST_SIDE / width,
    LONGEST_SIDE / height,
    Math.sqrt(MOST_PIXELS / (width * height)),
  )
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  const pen = canvas.getContext('2d')!
  pen.scale(scale, scale)
  draw(pen, look)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (blob) saveBlob(blob, fileName(title, 'png'))
}
