/** Draw the slices of all lanes in sight: lines of pixels stretched to their heights, and names where there is room. */

import { lastBefore, type Lane } from '@/boards/profiler/timeline/tiles/decode'
import { levelOf, placesIn, spanOf, type Place, type Tile } from '@/boards/profiler/timeline/tiles/tiles'
import type { Source } from '@/boards/profiler/timeline/tiles/traceSource'
import { RULER, xOf, type Frame } from './frame'
import { fillLine, type Paints } from './raster'
import { LANE, lanesIn, laneTop, rowsIn, type TrackRow } from './rowLayout'
import { ACTIVITY_COUNT, activityColour, fadedColour, nameColours } from './sliceColours'

const LABEL_PX = 34
const MOST_LABELS = 1200
const LABEL_FONT = 11
const FEWEST_SIGNS = 3
const MOST_WIDTHS = 20_000

interface Strip {
  readonly row: TrackRow
  readonly lane: number
  readonly tiles: readonly Tile[]
}

/** Keeps what pictures have in common. */
export class LanePainter {
  private readonly lines = document.createElement('canvas')
  private pixels: ImageData | null = null
  private readonly widths = new Map<string, number>()
  private readonly colours = new WeakMap<
    Source,
    { readonly isDark: boolean; readonly colours: Uint32Array }
  >()

  paint(pen: CanvasRenderingContext2D, frame: Frame): void {
    const strips = stripsOf(frame)
    if (strips.length === 0) return
    const ratio = pen.getTransform().a
    const width = Math.round(frame.width * ratio)
    const data = this.linesFor(width, strips.length)
    const line = new Uint32Array(data.data.buffer)
    const paints = frame.sources.map((source, at) => (source ? this.paintsOf(source, frame, at) : null))
    strips.forEach(({ row, lane, tiles }, i) => {
      const source = frame.sources[row.source]!
      const part = line.subarray(i * width, (i + 1) * width)
      for (const tile of tiles) {
        const slices = tile.lanes.get(lane)
        if (slices)
          fillLine(
            part,
            frame.span,
            slices,
            { from: tile.span.from + source.offset, to: tile.span.to + source.offset },
            source.offset,
            paints[row.source]!,
          )
      }
    })
    this.lines.getContext('2d')!.putImageData(data, 0, 0)
    pen.imageSmoothingEnabled = false
    strips.forEach(({ row, lane }, i) => {
      const gap = row.laneHeight >= LANE ? 1 : 0
      pen.drawImage(
        this.lines,
        0,
        i,
        width,
        1,
        0,
        RULER + laneTop(row, lane) - frame.scroll,
        frame.width,
        row.laneHeight - gap,
      )
    })
    this.label(pen, frame, strips)
  }

  private linesFor(width: number, count: number): ImageData {
    if (this.lines.width !== width || this.lines.height < count) {
      this.lines.width = width
      this.lines.height = Math.max(count, 64)
    }
    if (this.pixels?.width !== width || this.pixels.height !== count)
      this.pixels = new ImageData(width, count)
    else this.pixels.data.fill(0)
    return this.pixels
  }

  private paintsOf(source: Source, { colourBy, isDark, matches }: Frame, at: number): Paints {
    const faded = fadedColour(isDark)
    if (colourBy === 'activity')
      return {
        colours: Uint32Array.from({ length: ACTIVITY_COUNT }, (_, i) => activityColour(i, isDark)),
        isByName: false,
        matches: matches[at] ?? null,
        faded,
      }
    let cached = this.colours.get(source)
    if (cached?.isDark !== isDark) {
      cached = { isDark, colours: nameColours(source.texts, isDark) }
      this.colours.set(source, cached)
    }
    return { colours: cached.colours, isByName: true, matches: matches[at] ?? null, faded }
  }

  private label(pen: CanvasRenderingContext2D, frame: Frame, strips: readonly Strip[]): void {
    const { span, width, palette } = frame
    pen.font = `${LABEL_FONT}px ${palette.font}`
    pen.textBaseline = 'middle'
    pen.textAlign = 'left'
    const scale = width / (span.to - span.from)
    let left = MOST_LABELS
    for (const { row, lane, tiles } of strips) {
      if (row.laneHeight < LANE) continue
      const source = frame.sources[row.source]!
      const matches = frame.matches[row.source]
      const y = RULER + laneTop(row, lane) - frame.scroll + (LANE - 1) / 2 + 0.5
      for (const tile of tiles) {
        const slices = tile.lanes.get(lane)
        if (!slices) continue
        const low = Math.max(span.from - source.offset, tile.span.from)
        for (let i = Math.max(0, lastBefore(slices, low)); i < slices.begin.length && left > 0; i++) {
          const begin = slices.begin[i]!
          if (begin >= tile.span.to || begin + source.offset > span.to) break
          if (
            slices.duration[i]! * scale < LABEL_PX ||
            !isNamedIn(tile, slices, i, span.from - source.offset)
          )
            continue
          const x0 = Math.max(0, xOf(frame, begin + source.offset))
          const room = Math.min(width, xOf(frame, begin + slices.duration[i]! + source.offset)) - x0 - 7
          const text = this.cut(pen, source.texts[slices.name[i]!] ?? '', room)
          if (!text) continue
          pen.fillStyle = matches && !matches[slices.name[i]!] ? palette.muted : palette.text
          pen.fillText(text, x0 + 3, y)
          left--
        }
      }
    }
  }

  /** As much of a name as there is room for. */
  private cut(pen: CanvasRenderingContext2D, name: string, room: number): string {
    const whole = this.widthOf(pen, name)
    if (whole <= room) return name
    for (let signs = Math.floor((room / whole) * name.length) - 1; signs >= FEWEST_SIGNS; signs--) {
      const text = `${name.slice(0, signs)}…`
      if (this.widthOf(pen, text) <= room) return text
    }
    return ''
  }

  private widthOf(pen: CanvasRenderingContext2D, text: string): number {
    let width = this.widths.get(text)
    if (width === undefined) {
      if (this.widths.size > MOST_WIDTHS) this.widths.clear()
      this.widths.set(text, (width = pen.measureText(text).width))
    }
    return width
  }
}

/** A slice that several tiles show has its name in that where it is first seen. */
const isNamedIn = ({ span }: Tile, { begin, duration }: Lane, i: number, from: number): boolean => {
  const left = Math.max(begin[i]!, from)
  return left >= span.from && left < span.to && begin[i]! + duration[i]! > from
}

function stripsOf({ layout, scroll, height, sources, span, width }: Frame): readonly Strip[] {
  const [top, bottom] = [scroll, scroll + height - RULER]
  const level = levelOf((span.to - span.from) / width)
  const strips: Strip[] = []
  for (const row of rowsIn(layout, top, bottom)) {
    const source = sources[row.source]
    if (row.kind !== 'track' || !source) continue
    const places = placesIn({ from: span.from - source.offset, to: span.to - source.offset }, level)
    const tiles = places.flatMap((place) =>
      source.tiles.best(place, row.track).map((tile) => within(tile, place)),
    )
    const [first, last] = lanesIn(row, top, bottom)
    for (let lane = first; lane < last; lane++) strips.push({ row, lane, tiles })
  }
  return strips
}

/** A tile that stands in for another one shows no more than that. */
const within = (tile: Tile, place: Place): Tile =>
  tile.level <= place.level ? tile : { ...tile, span: spanOf(place) }
