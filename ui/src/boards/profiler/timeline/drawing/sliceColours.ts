/** Colours of slices: by name, always the same one, or by what they are. */

import { hash } from '@/base/hash'

export type ColourBy = 'name' | 'activity'

/** As canvases keep pixels: alpha, blue, green, red from the highest byte down. */
export type Pixel = number

/** Hue and strength of each activity, in the order of their numbers. */
const ACTIVITIES: readonly (readonly [number, number])[] = [
  [220, 8],
  [215, 75],
  [145, 55],
  [285, 55],
  [35, 80],
  [50, 60],
  [190, 60],
  [5, 70],
  [255, 35],
  [330, 55],
  [215, 25],
  [25, 15],
  [170, 50],
  [0, 0],
  [310, 35],
  [95, 50],
]
const STRENGTHS = [70, 55, 42]

const lightness = (isDark: boolean, shade: number): number => (isDark ? 30 + shade * 5 : 74 + shade * 5)

function channel(hue: number, saturation: number, light: number, offset: number): number {
  const k = (offset + hue / 30) % 12
  return Math.round(
    255 * (light - saturation * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1))),
  )
}

export function pixelOf(hue: number, saturation: number, light: number): Pixel {
  const [red, green, blue] = [0, 8, 4].map((offset) =>
    channel(hue, saturation / 100, light / 100, offset),
  ) as [number, number, number]
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0
}

export const cssOf = (pixel: Pixel): string =>
  `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`

export function nameColour(name: string, isDark: boolean): Pixel {
  // Numbers at the end, of layers and steps, do not make another kind of work.
  const seed = hash(name.replace(/[#_]?\d+$/, ''))
  return pixelOf(
    seed % 360,
    STRENGTHS[(seed >>> 10) % STRENGTHS.length]!,
    lightness(isDark, (seed >>> 16) % 3),
  )
}

export function activityColour(activity: number, isDark: boolean): Pixel {
  const [hue, strength] = ACTIVITIES[activity] ?? ACTIVITIES[0]!
  return pixelOf(hue, strength, lightness(isDark, 1))
}

export const ACTIVITY_COUNT = ACTIVITIES.length

/** What a slice that is not looked for fades to. */
export const fadedColour = (isDark: boolean): Pixel => pixelOf(220, 8, isDark ? 20 : 92)

/** The colour of every name of a recording. */
export const nameColours = (texts: readonly string[], isDark: boolean): Uint32Array =>
  Uint32Array.from(texts, (name) => nameColour(name, isDark))

/** Whether each name has all of the words. */
export function matchesOf(texts: readonly string[], query: string): Uint8Array | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return null
  return Uint8Array.from(texts, (name) => {
    const lower = name.toLowerCase()
    return words.every((word) => lower.includes(word)) ? 1 : 0
  })
}
