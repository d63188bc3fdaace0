/** Colours of points, by groups or along a scale. */

import type { Column, Groups } from '@/boards/embeddings/metadataColumns'

export type Rgb = readonly [number, number, number]

const GOLDEN = 137.508 // degrees: neighbours in the list are far apart on the circle of hues

export function rgbOf(colour: string): Rgb {
  const digits = /^#([0-9a-f]{6})$/i.exec(colour.trim())?.[1] ?? '808080'
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16)) as unknown as Rgb
}

export const cssOf = ([red, green, blue]: Rgb): string => `rgb(${red} ${green} ${blue})`

/** The colour of each group: those of the palette, and for more groups hues between them. */
export function groupColours(count: number, palette: readonly string[], isDark: boolean): readonly Rgb[] {
  if (count <= palette.length) return palette.slice(0, count).map(rgbOf)
  return Array.from({ length: count }, (_, i) => {
    const lightness = isDark ? [0.7, 0.58, 0.8][i % 3]! : [0.45, 0.57, 0.34][i % 3]!
    return hsl((i * GOLDEN) % 360, 0.65, lightness)
  })
}

function hsl(hue: number, saturation: number, lightness: number): Rgb {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const part = (n: number): number => {
    const k = (n + hue / 30) % 12
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return [part(0), part(8), part(4)]
}

/** From low to high; lightness alone tells the order, so that everybody sees it, and both ends stand out from the page. */
const SCALES: Readonly<Record<'light' | 'dark', readonly Rgb[]>> = {
  light: [
    [253, 174, 97],
    [233, 106, 87],
    [187, 55, 118],
    [114, 31, 129],
    [40, 17, 89],
  ],
  dark: [
    [98, 60, 160],
    [168, 68, 150],
    [226, 96, 110],
    [250, 158, 96],
    [252, 240, 160],
  ],
}

export const scaleColours = (isDark: boolean): readonly Rgb[] => SCALES[isDark ? 'dark' : 'light']

/** The colour at `share` (0 to 1) of a scale. */
export function colourAt(scale: readonly Rgb[], share: number): Rgb {
  const at = Math.min(1, Math.max(0, share)) * (scale.length - 1)
  const low = Math.min(scale.length - 2, Math.floor(at))
  const between = at - low
  return scale[low]!.map((part, i) =>
    Math.round(part + (scale[low + 1]![i]! - part) * between),
  ) as unknown as Rgb
}

export interface Paint {
  readonly palette: readonly string[]
  /** Of points that have no colour of their own. */
  readonly plain: string
  readonly missing: string
  readonly isDark: boolean
}

/** Red, green and blue of each point, 0 to 255. */
export function pointColours(
  count: number,
  column: Column | null,
  { palette, plain, missing, isDark }: Paint,
): Uint8Array {
  const colours = new Uint8Array(count * 3)
  const set = (point: number, colour: Rgb): void => colours.set(colour, point * 3)
  const content = column?.content
  if (!content) {
    const one = rgbOf(plain)
    for (let i = 0; i < count; i++) set(i, one)
  } else if (content.kind === 'groups') {
    const own = groupColours(content.values.length, palette, isDark)
    for (let i = 0; i < count; i++) set(i, own[content.codes[i]!]!)
  } else {
    const scale = scaleColours(isDark)
    const [none, reach] = [rgbOf(missing), content.most - content.least || 1]
    for (let i = 0; i < count; i++)
      set(
        i,
        Number.isNaN(content.numbers[i])
          ? none
          : colourAt(scale, (content.numbers[i]! - content.least) / reach),
      )
  }
  return colours
}

/** Which points are shown when groups are switched off; null: all. */
export function shownPoints(groups: Groups | null, off: readonly string[]): Uint8Array | null {
  if (!groups || off.length === 0) return null
  const hidden = new Set(off)
  const isOff = groups.values.map((value) => hidden.has(value))
  if (!isOff.includes(true)) return null
  return Uint8Array.from(groups.codes, (code) => (isOff[code] ? 0 : 1))
}
