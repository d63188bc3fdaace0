import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { assignColours, colourIn, colourIndex, PALETTE_SIZE } from './palette'

const css = readFileSync('src/base/styles/tokens.css', 'utf8')

function colour(block: string, name: string): readonly [number, number, number] {
  const hex = new RegExp(`--${name}: #([0-9a-f]{6})`).exec(block)![1]!
  return [0, 2, 4].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as unknown as readonly [number, number, number]
}

const luminance = ([r, g, b]: readonly number[]): number => 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
const contrast = (a: readonly number[], b: readonly number[]): number => {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light! + 0.05) / (dark! + 0.05)
}

const [light, dark] = css.split(":root[data-theme='dark']") as [string, string]

describe.each([
  ['light', light],
  ['dark', dark],
])('the %s theme', (_, block) => {
  it.each([
    ['text', 'surface'],
    ['text-2', 'surface'],
    ['text-2', 'bg'],
    ['text-2', 'surface-2'],
    ['accent', 'surface'],
    ['accent', 'accent-soft'],
    ['accent-text', 'accent'],
    ['danger', 'danger-soft'],
    ['danger', 'surface'],
    ['warn', 'warn-soft'],
    ['ok', 'surface'],
  ])('%s is readable on %s', (front, back) => {
    expect(contrast(colour(block, front), colour(block, back))).toBeGreaterThanOrEqual(4.5)
  })

  it('has curves that stand out and differ', () => {
    const series = Array.from({ length: PALETTE_SIZE }, (_, i) => colour(block, `series-${i}`))

    for (const one of series) expect(contrast(one, colour(block, 'surface'))).toBeGreaterThanOrEqual(3)
    expect(new Set(series.map(String)).size).toBe(PALETTE_SIZE)
  })
})

describe('colourIndex', () => {
  it('depends on the run alone and uses the whole palette', () => {
    const used = new Set(Array.from({ length: 500 }, (_, i) => colourIndex(`run-${i}`)))

    expect(colourIndex('abc')).toBe(colourIndex('abc'))
    expect(used.size).toBe(PALETTE_SIZE)
  })
})

describe('assignColours', () => {
  const runs = Array.from({ length: 40 }, (_, i) => `run-${i}`)

  it('gives up to 12 runs a colour each', () => {
    for (let from = 0; from < 28; from++)
      expect(new Set(assignColours(runs.slice(from, from + PALETTE_SIZE)).values()).size).toBe(PALETTE_SIZE)
  })

  it('gives a run the colour it prefers unless another has it', () => {
    const colours = assignColours(runs)
    expect(colours.get('run-0')).toBe(colourIndex('run-0'))
    expect([...assignColours(['run-7']).values()]).toEqual([colourIndex('run-7')])
  })

  it('changes no colour when a run is added', () => {
    for (let count = 1; count < runs.length; count++) {
      const before = assignColours(runs.slice(0, count))
      const after = assignColours(runs.slice(0, count + 1))
      for (const [run, colour] of before) expect(after.get(run)).toBe(colour)
    }
  })

  it('tells neighbours apart when there are more runs', () => {
    const places = [...assignColours(runs).values()]
    for (let from = 0; from + 9 <= places.length; from++)
      expect(new Set(places.slice(from, from + 9)).size).toBe(9)
  })

  it('goes on when people gave away most of the palette', () => {
    const series = Array.from({ length: PALETTE_SIZE }, (_, place) => `#00000${place.toString(16)}`)
    const given = new Map(Array.from({ length: 200 }, (_, i) => [`own-${i}`, series[i % 8]!]))

    const colours = assignColours([...given.keys(), ...runs], given, series)

    expect(new Set(runs.slice(0, 4).map((run) => colours.get(run))).size).toBe(4)
    expect(colours.size).toBe(240)
  })

  it('uses all colours alike when there are more runs', () => {
    const uses = new Map<unknown, number>()
    for (const colour of assignColours(runs).values()) uses.set(colour, (uses.get(colour) ?? 0) + 1)
    expect(Math.max(...uses.values()) - Math.min(...uses.values())).toBeLessThanOrEqual(1)
  })

  it('gives a run the colour that people chose', () => {
    const colours = assignColours(['run-0', 'run-1'], new Map([['run-1', '#ff8800']]))
    expect([colours.get('run-1'), colourIn(colours.get('run-1')!, ['#000000'])]).toEqual([
      '#ff8800',
      '#ff8800',
    ])
  })
})

it('gives no other run the colour of the palette that people gave one', () => {
  const series = Array.from({ length: PALETTE_SIZE }, (_, at) => `#0000${String(at).padStart(2, '0')}`)
  const wanted = colourIndex('first')

  const colours = assignColours(['first', 'second'], new Map([['second', series[wanted]!]]), series)

  expect(colours.get('second')).toBe(series[wanted])
  expect(colours.get('first')).not.toBe(wanted)
})

it('finds a colour however many people chose', () => {
  const series = Array.from({ length: PALETTE_SIZE }, (_, at) => `#0000${String(at).padStart(2, '0')}`)
  const runs = Array.from({ length: 60 }, (_, at) => `run-${at}`)
  const own = new Map(runs.slice(0, 22).map((run, at) => [run, series[at % 11]!]))

  expect(assignColours(runs, own, series).size).toBe(60)
})
