/** Draws the part of a scene that is in sight; on a canvas and as SVG alike. */

import { formatCount } from '@/base/numbers'
import type { Pen } from '@/plot/pen'
import { drawGlyph, GLYPH } from './glyphs'
import {
  glyphRoom,
  INSET,
  isSmall,
  LABEL_FONT,
  LINE_FONT,
  LINE_HEIGHT,
  SMALL_FONT,
  type FitText,
} from './layout/sizes'
import type { Box, Rect, Scene, Traced, Wire } from './scene'
import { arrowTip, middleOf, roundedBox, roundedLine } from './shapes'

export interface GraphColours {
  readonly background: string
  readonly surface: string
  readonly raised: string
  readonly raisedMore: string
  readonly border: string
  readonly line: string
  readonly text: string
  readonly muted: string
  readonly accent: string
  readonly accentSoft: string
  readonly parameter: string
  readonly series: readonly string[]
  readonly font: string
}

export interface Drawing {
  readonly scene: Scene
  /** In the scene's own pixels. */
  readonly view: Rect
  readonly scale: number
  readonly colours: GraphColours
  readonly fit: FitText
  readonly selected: string | null
  readonly hovered: string | null
  readonly traced: Traced | null
  /** 0 while wires are still to appear, 1 when they are there. */
  readonly wireAlpha: number
  /** Whether all wires say what they are, not only those of the selected node. */
  readonly isNamed?: boolean
}

/** Bold letters of the same size take about this much room. */
const BOLD_FONT = LABEL_FONT * 1.06

/** From the top of a node to the middle of its label. */
const LABEL_MIDDLE = 14.5

/** Below these sizes on the screen things are left out that nobody could see. */
const READABLE = 4.5
const TINY = 2
const FEW_WIRES = 250

const touches = (view: Rect, left: number, top: number, right: number, bottom: number): boolean =>
  right >= view.x && left <= view.x + view.width && bottom >= view.y && top <= view.y + view.height

export function drawScene(pen: Pen, drawing: Drawing): void {
  const { scene, view, scale, wireAlpha } = drawing
  const visible = scene.boxes.filter((box) =>
    touches(view, box.x - 8, box.y - 8, box.x + box.width + 8, box.y + box.height + 8),
  )
  for (const box of visible) if (box.isOpen) drawOpen(pen, box, drawing)
  if (wireAlpha > 0) {
    const wires = scene.wires.filter(
      (wire) =>
        touches(view, wire.left, wire.top, wire.right, wire.bottom) &&
        (wire.right - wire.left + wire.bottom - wire.top) * scale > 1,
    )
    // Very many would hide everything between them.
    const alpha = wireAlpha * Math.max(0.2, Math.min(1, FEW_WIRES / wires.length))
    for (const wire of wires) {
      pen.globalAlpha = drawing.traced?.wires.has(wire) ? wireAlpha : alpha
      drawWire(pen, wire, drawing)
    }
    pen.globalAlpha = wireAlpha
    drawPortLines(pen, visible, drawing)
    pen.globalAlpha = 1
  }
  for (const box of visible) if (!box.isOpen) drawBox(pen, box, drawing)
  const named = drawing.isNamed ? scene.wires : (drawing.traced?.wires ?? [])
  if (wireAlpha === 1) for (const wire of named) drawWireLabel(pen, wire, drawing)
}

// --- boxes ---

function outline(
  box: Box,
  { colours, selected, hovered, traced, scale }: Drawing,
): readonly [string, number] {
  // What stands beside a node for the rest of its parameters has its name, but is not it.
  if (box.node.name === selected && box.beside !== selected) return [colours.accent, Math.max(2.5, 2 / scale)]
  if (traced?.boxes.has(box.key)) return [colours.accent, Math.max(1.2, 1 / scale)]
  // However small the drawing, its lines can be seen.
  const thin = Math.max(1, 0.7 / scale)
  return [box.key === hovered ? colours.text : colours.border, thin]
}

function drawOpen(pen: Pen, box: Box, drawing: Drawing): void {
  const { colours, scale, fit, view } = drawing
  const [stroke, width] = outline(box, drawing)
  roundedBox(pen, box, 8)
  pen.fillStyle = box.depth % 2 === 0 ? colours.surface : colours.background
  pen.fill()
  pen.strokeStyle = stroke
  pen.lineWidth = width
  pen.setLineDash([])
  pen.stroke()
  drawStrip(pen, box, 8, colours)
  if (LABEL_FONT * scale < READABLE) return
  // The name stays in sight while any of the scope is.
  const x = Math.min(Math.max(box.x, view.x), Math.max(box.x, box.x + box.width - 120))
  pen.fillStyle = colours.text
  pen.textAlign = 'left'
  pen.textBaseline = 'middle'
  pen.font = `600 ${LABEL_FONT}px ${colours.font}`
  pen.fillText(fit(box.node.label, BOLD_FONT, box.x + box.width - x - 30), x + INSET, box.y + LABEL_MIDDLE)
  drawLines(pen, box, x, drawing)
  drawMark(pen, box, '−', colours)
}

/** Where the mark that opens or closes a scope stands. */
export function markOf(box: Box): Rect {
  return { x: box.x + box.width - 20, y: box.y + LABEL_MIDDLE - 7.5, width: 14, height: 14 }
}

function drawMark(pen: Pen, box: Box, sign: '+' | '−', colours: GraphColours): void {
  const mark = markOf(box)
  const [x, y] = [mark.x + 7, mark.y + 7]
  roundedBox(pen, mark, 3)
  pen.fillStyle = colours.surface
  pen.fill()
  pen.strokeStyle = colours.border
  pen.lineWidth = 1
  pen.stroke()
  pen.strokeStyle = colours.muted
  pen.beginPath()
  pen.moveTo(x - 3.5, y)
  pen.lineTo(x + 3.5, y)
  if (sign === '+') {
    pen.moveTo(x, y - 3.5)
    pen.lineTo(x, y + 3.5)
  }
  pen.stroke()
}

function drawBox(pen: Pen, box: Box, drawing: Drawing): void {
  const { colours, scale } = drawing
  const { look } = box.node
  const fill = fillOf(box, colours)
  if (box.height * scale < TINY) {
    pen.fillStyle = colours.border
    pen.fillRect(box.x, box.y, box.width, box.height)
    return
  }
  const [stroke, width] = outline(box, drawing)
  pen.strokeStyle = stroke
  pen.lineWidth = width
  pen.setLineDash(look === 'more' || (look === 'port' && stroke === colours.border) ? [3, 3] : [])
  pen.fillStyle = fill
  const radius = radiusOf(box)
  if (look === 'aggregate') {
    for (const shift of [6, 3]) {
      roundedBox(pen, { ...box, x: box.x + shift, y: box.y + shift }, radius)
      pen.fill()
      pen.stroke()
    }
  }
  roundedBox(pen, box, radius)
  pen.fill()
  pen.stroke()
  drawStrip(pen, box, radius, colours)
  pen.setLineDash([])
  if (LABEL_FONT * scale >= READABLE) drawTexts(pen, box, drawing)
}

/** Its colour along the left edge. */
function drawStrip(
  pen: Pen,
  { node: { colour }, x, y, height }: Box,
  radius: number,
  colours: GraphColours,
): void {
  if (colour === null || height <= 2 * radius) return
  pen.fillStyle = colours.series[colour] ?? colours.border
  pen.fillRect(x + 1, y + radius, 3, height - 2 * radius)
}

function fillOf({ node: { look } }: Box, colours: GraphColours): string {
  switch (look) {
    case 'scope':
      return colours.raisedMore
    case 'parameter':
      return colours.parameter
    case 'constant':
      return colours.raised
    case 'input':
    case 'output':
      return colours.accentSoft
    default:
      return colours.surface
  }
}

function radiusOf({ node: { look } }: Box): number {
  switch (look) {
    case 'scope':
      return 7
    case 'parameter':
    case 'port':
      return 8
    case 'input':
    case 'output':
      return 12
    case 'constant':
      return 2
    default:
      return 4
  }
}

function drawTexts(pen: Pen, box: Box, drawing: Drawing): void {
  const { colours, scale, fit } = drawing
  const { node, x, y, width } = box
  pen.textBaseline = 'middle'
  if (isSmall(node)) {
    if (SMALL_FONT * scale < READABLE) return
    pen.textAlign = 'center'
    pen.font = `${SMALL_FONT}px ${colours.font}`
    pen.fillStyle = colours.muted
    const badge = node.badge ? ` ${node.badge}` : ''
    pen.fillText(fit(node.label + badge, SMALL_FONT, width - 10), x + width / 2, y + box.height / 2 + 0.5)
    return
  }
  let end = x + width - INSET
  if (node.canOpen) {
    drawMark(pen, box, '+', colours)
    end -= 16
  }
  if (node.badge) {
    pen.textAlign = 'right'
    pen.font = `${SMALL_FONT}px ${colours.font}`
    pen.fillStyle = colours.muted
    pen.fillText(node.badge, end, y + LABEL_MIDDLE)
    end -= fit.width(node.badge, SMALL_FONT) + 6
  }
  pen.fillStyle = node.look === 'more' ? colours.accent : colours.text
  pen.font = `${LABEL_FONT}px ${colours.font}`
  pen.textAlign = 'left'
  const begin = x + INSET + glyphRoom(node)
  pen.fillText(fit(node.label, LABEL_FONT, end - begin), begin, y + LABEL_MIDDLE)
  if (node.glyph)
    drawGlyph(
      pen,
      node.glyph,
      x + INSET,
      y + LABEL_MIDDLE - GLYPH / 2,
      colours.series[node.colour ?? 0] ?? colours.text,
    )
  drawLines(pen, box, x, drawing)
}

function drawLines(
  pen: Pen,
  { node, y, x: left, width }: Box,
  x: number,
  { colours, scale, fit }: Drawing,
): void {
  if (LINE_FONT * scale < READABLE) return
  pen.fillStyle = colours.muted
  pen.font = `${LINE_FONT}px ${colours.font}`
  node.lines.forEach((line, i) =>
    pen.fillText(
      fit(line, LINE_FONT, left + width - x - 2 * INSET),
      x + INSET,
      y + LABEL_MIDDLE + (i + 1) * LINE_HEIGHT,
    ),
  )
}

// --- wires ---

const widthOf = (count: number): number => Math.min(4, 1 + Math.log2(Math.max(1, count)) * 0.4)

function drawWire(pen: Pen, wire: Wire, { colours, traced, scale }: Drawing): void {
  const isTraced = traced?.wires.has(wire) ?? false
  const width = widthOf(wire.count)
  pen.strokeStyle = isTraced ? colours.accent : colours.line
  pen.lineWidth = Math.max(isTraced ? width + 0.6 : width, (isTraced ? 1.4 : 0.6) / scale)
  pen.setLineDash(wire.kind === 'control' ? [5, 4] : [])
  roundedLine(pen, wire.points, scale < 0.2 ? 0 : 7)
  pen.stroke()
  pen.setLineDash([])
  if (scale < 0.25) return
  pen.fillStyle = isTraced ? colours.accent : colours.line
  arrowTip(pen, wire.points, 5 + width)
  pen.fill()
}

/** From the edge of an open scope to its ports, and from what stands beside a node to it. */
function drawPortLines(pen: Pen, boxes: readonly Box[], { scene, colours, traced }: Drawing): void {
  pen.lineWidth = 1
  for (const box of boxes) {
    const isTraced = traced?.boxes.has(box.key) ?? false
    pen.strokeStyle = isTraced ? colours.accent : colours.line
    if (box.beside !== null) {
      const owner = scene.byKey.get(box.beside)!
      pen.beginPath()
      pen.moveTo(box.x + box.width, box.y + box.height / 2)
      pen.lineTo(owner.x, Math.max(owner.y + 4, Math.min(owner.y + owner.height - 4, box.y + box.height / 2)))
      pen.stroke()
    } else if (box.port !== null) {
      const holder = scene.byName.get(box.scope)
      const isJoined = (box.port === 'in' ? scene.before : scene.after).has(box.key)
      if (!holder || !isJoined) continue
      const x = box.x + box.width / 2
      pen.beginPath()
      pen.moveTo(x, box.port === 'in' ? holder.y : box.y + box.height)
      pen.lineTo(x, box.port === 'in' ? box.y : holder.y + holder.height)
      pen.stroke()
    }
  }
}

function drawWireLabel(pen: Pen, wire: Wire, { colours, scale, fit, traced }: Drawing): void {
  const text = wire.count > 1 ? `×${formatCount(wire.count)}` : wire.label
  if (!text || SMALL_FONT * scale < READABLE) return
  const [x, y] = middleOf(wire.points)
  const width = Math.min(160, fit.width(text, SMALL_FONT)) + 8
  roundedBox(pen, { x: x - width / 2, y: y - 8, width, height: 16 }, 3)
  pen.fillStyle = colours.surface
  pen.fill()
  pen.fillStyle = traced?.wires.has(wire) ? colours.accent : colours.muted
  pen.font = `${SMALL_FONT}px ${colours.font}`
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.fillText(fit(text, SMALL_FONT, 160), x, y + 0.5)
}
