/** Reports: one HTML file with charts that can be read point by point, and tables. It loads nothing from anywhere. */

import type { ChartColours } from '@/base/theme'
import type { Values } from '@/plot/curves'
import { SvgPen } from '@/plot/pen'
import { drawPicture, type Picture } from '@/plot/picture'
import { drawPlot, layOut, type Plot } from '@/plot/plot'
import { downsampledPlot } from './downsampling'
import reader from './reader.js?raw'
import style from './report.css?raw'

export interface ReportChart {
  readonly title: string
  readonly plot: Plot<Values>
  /** What colours and dashes mean; without it each line stands for itself. */
  readonly legend?: readonly {
    readonly name: string
    readonly colour: string
    readonly dash: readonly number[]
  }[]
  /** What else is to be read of the line with that key at one of its places: its band, and how many runs there are. */
  readonly detailOf?: (key: string, x: number) => Detail | null
}

export type Detail = readonly [low: number, high: number, n: number]

export interface ReportTable {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Rows that were left out. */
  readonly cut: number
}

export interface ReportPart {
  readonly charts?: readonly ReportChart[]
  /** Drawings that are only looked at. */
  readonly pictures?: readonly Picture[]
  readonly tables?: readonly ReportTable[]
  /** Names and values about what is shown. */
  readonly facts?: readonly Fact[]
}

export type Fact = readonly [name: string, value: string]

export interface Report {
  readonly title: string
  readonly note: string
  /** Names and values about the report itself: when, from where, by which version. */
  readonly facts: readonly Fact[]
  readonly address: string
  readonly charts: readonly ReportChart[]
  readonly pictures: readonly Picture[]
  readonly tables: readonly ReportTable[]
}

export interface ReportLook {
  readonly colours: ChartColours
  readonly background: string
  readonly text: string
  readonly border: string
  readonly language: string
}

/** What the reader of a report reads. */
export interface ReportWords {
  readonly downsampled: (points: string) => string
  readonly cut: (rows: string) => string
  readonly moreNames: (names: string) => string
  readonly more: string
  readonly source: string
}

/** A canvas that knows how wide texts are. */
type Measure = Pick<CanvasRenderingContext2D, 'font' | 'measureText'>

/** Points of all curves in one report: some megabytes. */
const MOST_POINTS = 150_000
const MOST_NAMES = 100
const [WIDTH, HEIGHT] = [640, 300]

const escape = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** JSON that can stand in a script element whatever it holds. */
const embedded = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const short = (value: number, digits: number): number | null =>
  Number.isFinite(value) ? Number(value.toPrecision(digits)) : null
const rounded = (values: Float64Array, digits: number): (number | null)[] =>
  Array.from(values, (value) => short(value, digits))

/** `nonce` must be of letters and digits, and never used before: nothing but what carries it can run in the report. */
export function reportHtml(
  report: Report,
  look: ReportLook,
  words: ReportWords,
  nonce: string,
  measure: Measure,
): string {
  const lines = report.charts.reduce((sum, { plot }) => sum + plot.lines.length, 0)
  const points = report.charts.reduce(
    (sum, { plot }) => sum + plot.lines.reduce((all, { xs }) => all + xs.length, 0),
    0,
  )
  const most = points > MOST_POINTS ? Math.max(24, Math.floor(MOST_POINTS / lines)) : Infinity
  const figures = report.charts.map((chart, at) =>
    figure({ ...chart, plot: downsampledPlot(chart.plot, most) }, at, look, words, measure),
  )
  const facts = report.facts
    .map(([name, value]) => `<dt>${escape(name)}</dt><dd>${escape(value)}</dd>`)
    .join('')
  return [
    `<!doctype html><html lang="${escape(look.language)}"><head><meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'; ` +
      `script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">',
    `<title>${escape(report.title)}</title><style nonce="${nonce}">${variables(look)}${style}</style></head><body>`,
    `<header><h1>${escape(report.title)}</h1>${report.note ? `<p class="note">${escape(report.note)}</p>` : ''}<dl>${facts}`,
    `<dt>${escape(words.source)}</dt><dd><a href="${escape(report.address)}">${escape(report.address)}</a></dd></dl>`,
    most < Infinity ? `<p class="muted" id="downsampled">${escape(words.downsampled(String(most)))}</p>` : '',
    `</header><main>${figures.join('')}</main>`,
    report.pictures.map((picture, at) => pictureHtml(picture, at, look, measure)).join(''),
    report.tables.map((table) => tableHtml(table, words)).join(''),
    `<script nonce="${nonce}">${reader}</script></body></html>\n`,
  ].join('\n')
}

function variables({ colours, background, text, border }: ReportLook): string {
  const values = {
    background,
    text,
    border,
    surface: colours.surface,
    muted: colours.text,
    accent: colours.accent,
    font: colours.font,
  }
  // Values of our own style sheet; a sign that could end the rule is no part of any of them.
  return `:root{${Object.entries(values)
    .map(([name, value]) => `--${name}:${value.replace(/[<>{};]/g, '')}`)
    .join(';')}}\n`
}

function figure(
  { title, plot, legend, detailOf }: ReportChart,
  at: number,
  { colours }: ReportLook,
  words: ReportWords,
  measure: Measure,
): string {
  const pen = new SvgPen(WIDTH, HEIGHT, measure, `chart-${at}-`)
  const layout = layOut(plot, WIDTH, HEIGHT, pen, colours.font)
  drawPlot(pen, plot, layout, colours)
  const { x, y, width, height, xScale, left, right } = layout
  const own = plot.lines.filter(({ bound }) => !bound)
  const data = {
    frame: { x, y, width, height },
    xScale,
    left,
    right,
    axis: plot.axis,
    xLabel: plot.xLabel,
    more: words.more,
    lines: own.map(({ key, name, colour, side, xs, ys }) => ({
      name,
      colour,
      side,
      xs: rounded(xs, plot.axis === 'absolute' ? 14 : 9),
      ys: rounded(ys, 7),
      ...(detailOf
        ? { details: Array.from(xs, (x) => detailOf(key, x)?.map((number) => short(number, 7)) ?? null) }
        : {}),
    })),
  }
  const names = legend ?? own
  const sample = ({ colour, dash }: (typeof names)[number]): string =>
    `<svg width="18" height="8"><path d="M0 4h18" stroke="${escape(colour)}" stroke-width="2" stroke-dasharray="${dash.join(' ')}"/></svg>`
  const entries = names.slice(0, MOST_NAMES).map((entry) => `<li>${sample(entry)}${escape(entry.name)}</li>`)
  if (names.length > MOST_NAMES)
    entries.push(`<li class="muted">${escape(words.moreNames(String(names.length - MOST_NAMES)))}</li>`)
  return (
    `<figure tabindex="0"><figcaption>${escape(title)}</figcaption><div ` +
    `class="chart">${pen.toString()}</div><ul>${entries.join('')}</ul><script ` +
    `type="application/json">${embedded(data)}</script></figure>`
  )
}

function pictureHtml(picture: Picture, at: number, { colours }: ReportLook, measure: Measure): string {
  const pen = new SvgPen(picture.width, picture.height, measure, `picture-${at}-`)
  drawPicture(pen, picture, colours)
  return `<section class="picture">${pen.toString()}</section>`
}

function tableHtml({ title, head, rows, cut }: ReportTable, words: ReportWords): string {
  const isNumber = (text: string): boolean => /^[−+±-]?[\d.]/.test(text)
  const cells = (row: readonly string[]): string =>
    row.map((text) => `<td${isNumber(text) ? ' class="number"' : ''}>${escape(text)}</td>`).join('')
  return [
    `<section><h2>${escape(title)}</h2><div ` +
      `class="wide"><table><thead><tr>${head.map((name) => `<th>${escape(name)}</th>`).join('')}</tr></thead>`,
    `<tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join('\n')}</tbody></table></div>`,
    cut > 0 ? `<p class="muted">${escape(words.cut(String(cut)))}</p>` : '',
    '</section>',
  ].join('')
}
