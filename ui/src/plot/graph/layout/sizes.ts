/** How large a node is drawn, from its texts. */

import { GLYPH } from '@/plot/graph/glyphs'
import type { ModelNode } from '@/plot/graph/model'
import { fit } from '@/plot/picture'

export const LABEL_FONT = 12
export const LINE_FONT = 10.5
export const LINE_HEIGHT = 14
const LONGEST = 190
/** Of nodes with a glyph: names that people gave, of which every part may count. */
const LONGEST_NAME = 260
/** Left and right of the text, the mark for opening included. */
export const INSET = 10
export const SMALL_FONT = 10
const HEADER = 24

/** The width of a text in pixels. */
export type Measure = (text: string, size: number) => number

export interface BoxSize {
  readonly width: number
  readonly height: number
}

/** Room for the glyph before a label. */
export const glyphRoom = ({ glyph }: Pick<ModelNode, 'glyph'>): number => (glyph ? GLYPH + 6 : 0)

export const isSmall = ({ look }: Pick<ModelNode, 'look'>): boolean =>
  look === 'port' || look === 'parameter' || look === 'constant'

export function sizeOf(node: ModelNode, measure: Measure): BoxSize {
  if (isSmall(node)) return smallSizeOf(node, measure)
  const badge = node.badge ? measure(node.badge, SMALL_FONT) + 10 : 0
  const text = Math.max(
    measure(node.label, LABEL_FONT) + glyphRoom(node) + badge + (node.canOpen ? 16 : 0),
    ...node.lines.map((line) => measure(line, LINE_FONT)),
  )
  return {
    width: Math.ceil(Math.max(64, Math.min((node.glyph ? LONGEST_NAME : LONGEST) + badge, text) + 2 * INSET)),
    height: 28 + node.lines.length * LINE_HEIGHT,
  }
}

/** The height of the texts of an open scope, above what is in it. */
export const headerOf = ({ lines }: ModelNode): number => HEADER + lines.length * LINE_HEIGHT

/** Ports, and parameters and constants beside another node. */
export function smallSizeOf(node: ModelNode, measure: Measure): BoxSize {
  const text = node.badge ? `${node.label} ${node.badge}` : node.label
  return { width: Math.ceil(Math.min(110, measure(text, SMALL_FONT)) + 14), height: 16 }
}

/** Widths of texts by a canvas, each measured once. */
export function canvasMeasure(font: string): Measure {
  const pen = document.createElement('canvas').getContext('2d')
  const cache = new Map<string, number>()
  return (text, size) => {
    const key = `${size} ${text}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    if (cache.size > 20_000) cache.clear()
    if (pen) pen.font = `${size}px ${font}`
    const width = pen ? pen.measureText(text).width : text.length * size * 0.55
    cache.set(key, width)
    return width
  }
}

/** A text shortened to a width, and how wide it is in full. */
export interface FitText {
  (text: string, size: number, width: number): string
  width(text: string, size: number): number
}

/** Shortens texts in their middle, each once. */
export function fitText(measure: Measure): FitText {
  const cache = new Map<string, string>()
  const fitted = (text: string, size: number, width: number): string => {
    if (measure(text, size) <= width) return text
    const key = `${size} ${Math.round(width)} ${text}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    if (cache.size > 20_000) cache.clear()
    const shortened = fit(
      { measureText: (part: string) => ({ width: measure(part, size) }) as TextMetrics },
      text,
      width,
    )
    cache.set(key, shortened)
    return shortened
  }
  return Object.assign(fitted, { width: measure })
}
