/** What drawing needs: the part of a canvas context that can also be written as SVG. */

export type Pen = Pick<
  CanvasRenderingContext2D,
  | 'save'
  | 'restore'
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'quadraticCurveTo'
  | 'closePath'
  | 'arc'
  | 'rect'
  | 'clip'
  | 'stroke'
  | 'fill'
  | 'fillRect'
  | 'fillText'
  | 'measureText'
  | 'setLineDash'
  | 'translate'
  | 'rotate'
  | 'strokeStyle'
  | 'fillStyle'
  | 'lineWidth'
  | 'lineJoin'
  | 'lineCap'
  | 'globalAlpha'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
>

const round = (value: number): string => String(Math.round(value * 100) / 100)

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!)

interface State {
  strokeStyle: Pen['strokeStyle']
  fillStyle: Pen['fillStyle']
  lineWidth: number
  lineJoin: CanvasLineJoin
  lineCap: CanvasLineCap
  globalAlpha: number
  font: string
  textAlign: CanvasTextAlign
  textBaseline: CanvasTextBaseline
  dash: readonly number[]
  transform: string
  groups: number
}

/** Writes what is drawn as SVG text; `measure` (a canvas context) knows the widths of texts. */
export class SvgPen implements Pen {
  strokeStyle: Pen['strokeStyle'] = '#000'
  fillStyle: Pen['fillStyle'] = '#000'
  lineWidth = 1
  lineJoin: CanvasLineJoin = 'miter'
  lineCap: CanvasLineCap = 'butt'
  globalAlpha = 1
  font = '12px sans-serif'
  textAlign: CanvasTextAlign = 'start'
  textBaseline: CanvasTextBaseline = 'alphabetic'

  private dash: readonly number[] = []
  private transform = ''
  private groups = 0
  private path: string[] = []
  private clips = 0
  private readonly stack: State[] = []
  private readonly parts: string[] = []

  constructor(
    private readonly width: number,
    private readonly height: number,
    private readonly measure: Pick<CanvasRenderingContext2D, 'font' | 'measureText'>,
    /** Names of parts begin so; they must differ where several drawings are in one document. */
    private readonly prefix = '',
  ) {}

  toString(): string {
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" ` +
      `viewBox="0 0 ${this.width} ${this.height}">\n` +
      this.parts.join('\n') +
      '\n'.concat('</g>'.repeat(this.groups), '</svg>\n')
    )
  }

  save(): void {
    const {
      strokeStyle,
      fillStyle,
      lineWidth,
      lineJoin,
      lineCap,
      globalAlpha,
      font,
      textAlign,
      textBaseline,
      dash,
      transform,
      groups,
    } = this
    this.stack.push({
      strokeStyle,
      fillStyle,
      lineWidth,
      lineJoin,
      lineCap,
      globalAlpha,
      font,
      textAlign,
      textBaseline,
      dash,
      transform,
      groups,
    })
  }

  restore(): void {
    const state = this.stack.pop()
    if (!state) return
    if (this.groups > state.groups) this.parts.push('</g>'.repeat(this.groups - state.groups))
    Object.assign(this, state)
  }

  beginPath(): void {
    this.path = []
  }

  moveTo(x: number, y: number): void {
    this.path.push(`M${round(x)} ${round(y)}`)
  }

  lineTo(x: number, y: number): void {
    this.path.push(`L${round(x)} ${round(y)}`)
  }

  quadraticCurveTo(bendX: number, bendY: number, x: number, y: number): void {
    this.path.push(`Q${round(bendX)} ${round(bendY)} ${round(x)} ${round(y)}`)
  }

  closePath(): void {
    this.path.push('Z')
  }

  /** Whole circles only, which is all that charts draw. */
  arc(x: number, y: number, radius: number): void {
    const r = round(radius)
    this.path.push(
      `M${round(x - radius)} ${round(y)}a${r} ${r} 0 1 0 ${round(2 * radius)} 0a${r} ${r} 0 1 0 ${round(-2 * radius)} 0`,
    )
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.path.push(`M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}Z`)
  }

  clip(): void {
    const id = `${this.prefix}clip-${++this.clips}`
    const place = this.transform ? ` transform="${this.transform}"` : ''
    this.parts.push(
      `<clipPath id="${id}"><path d="${this.path.join('')}"${place}/></clipPath><g clip-path="url(#${id})">`,
    )
    this.groups++
  }

  stroke(): void {
    if (this.path.length === 0) return
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(' ')}"` : ''
    this.parts.push(
      `<path d="${this.path.join('')}" fill="none" stroke="${escape(String(this.strokeStyle))}" stroke-width="${this.lineWidth}"` +
        ` stroke-linejoin="${this.lineJoin}" stroke-linecap="${this.lineCap}"${dash}${this.common()}/>`,
    )
  }

  fill(): void {
    if (this.path.length > 0)
      this.parts.push(
        `<path d="${this.path.join('')}" fill="${escape(String(this.fillStyle))}"${this.common()}/>`,
      )
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.parts.push(
      `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" ` +
        `fill="${escape(String(this.fillStyle))}"${this.common()}/>`,
    )
  }

  fillText(text: string, x: number, y: number): void {
    const anchor =
      this.textAlign === 'center'
        ? 'middle'
        : this.textAlign === 'right' || this.textAlign === 'end'
          ? 'end'
          : 'start'
    const size = Number(/(\d+(?:\.\d+)?)px/.exec(this.font)?.[1] ?? 12)
    // Baselines by hand: viewers disagree about dominant-baseline.
    const shift = this.textBaseline === 'middle' ? size * 0.35 : this.textBaseline === 'top' ? size * 0.8 : 0
    this.parts.push(
      `<text x="${round(x)}" y="${round(y + shift)}" font-family="system-ui, sans-serif" font-size="${size}" text-anchor="${anchor}"` +
        ` fill="${escape(String(this.fillStyle))}"${this.common()}>${escape(text)}</text>`,
    )
  }

  measureText(text: string): TextMetrics {
    this.measure.font = this.font
    return this.measure.measureText(text)
  }

  setLineDash(dash: number[]): void {
    this.dash = dash
  }

  translate(x: number, y: number): void {
    this.transform += `translate(${round(x)} ${round(y)})`
  }

  rotate(angle: number): void {
    this.transform += `rotate(${round((angle * 180) / Math.PI)})`
  }

  private common(): string {
    return (
      (this.globalAlpha < 1 ? ` opacity="${round(this.globalAlpha)}"` : '') +
      (this.transform ? ` transform="${this.transform}"` : '')
    )
  }
}
