import { describe, expect, it } from 'vitest'
import { columnsOf, nameOf, namingColumn, tellingColumn, type Groups } from './metadataColumns'
import { pointsTable } from './metadataTable'
import { FADED, HIDDEN, emphasisOf, PLAIN, QUIET, STRONG } from './stage/emphasis'
import { colourAt, groupColours, pointColours, rgbOf, scaleColours, shownPoints } from './stage/pointColours'
import { countUnplaced, placed } from './stage/pointPositions'

const unnamed = (number: number, isOnly: boolean): string => (isOnly ? 'Label' : `Label ${number}`)

describe('columns of labels', () => {
  it('are groups in the order of their values, with how often each is there', () => {
    const [column] = columnsOf([['10'], ['9'], ['10'], ['9'], ['9']], [], unnamed)

    expect(column).toMatchObject({
      name: 'Label',
      content: { kind: 'groups', values: ['9', '10'], counts: [3, 2] },
    })
    expect([...(column!.content as Groups).codes]).toEqual([1, 0, 1, 0, 0])
  })

  it('are numbers when there are many different ones', () => {
    const [column] = columnsOf(
      Array.from({ length: 30 }, (_, i) => [i === 3 ? '' : String(i / 2)]),
      ['size'],
      unnamed,
    )

    expect(column).toMatchObject({ name: 'size', content: { kind: 'measures', least: 0, most: 14.5 } })
    expect(column!.content.kind === 'measures' && column!.content.numbers[3]).toBeNaN()
  })

  it('have names of their own, also where rows differ in length', () => {
    const columns = columnsOf([['a'], ['b', 'c']], ['x', 'x'], unnamed)

    expect(columns.map(({ name }) => name)).toEqual(['x', 'x 2'])
    expect(columns[1]!.texts).toEqual(['', 'c'])
    expect(columnsOf([], ['x'], unnamed)).toEqual([])
  })

  it('choose the one that tells most', () => {
    const words = Array.from({ length: 40 }, (_, i) => [`word ${i}`, i % 2 ? 'odd' : 'even', String(i)])

    expect(tellingColumn(columnsOf(words, ['word', 'parity', 'number'], unnamed))!.name).toBe('parity')
    expect(
      tellingColumn(
        columnsOf(
          words.map(([word, , number]) => [word!, number!]),
          ['word', 'number'],
          unnamed,
        ),
      )!.name,
    ).toBe('number')
    expect(
      tellingColumn(
        columnsOf(
          words.map(([word]) => [word!]),
          [],
          unnamed,
        ),
      ),
    ).toBeNull()
  })

  it('name points by the texts that differ most, or by their numbers', () => {
    const naming = namingColumn(
      columnsOf(
        [
          ['x', 'b'],
          ['x', ''],
        ],
        [],
        unnamed,
      ),
    )
    expect([nameOf(naming, 0), nameOf(naming, 1), nameOf(null, 2)]).toEqual(['b', '#1', '#2'])
    expect(namingColumn([])).toBeNull()
  })
})

describe('colours', () => {
  const paint = { palette: ['#ff0000', '#00ff00'], plain: '#0000ff', missing: '#808080', isDark: false }

  it('are those of the palette for few groups, and all different for many', () => {
    expect(groupColours(2, paint.palette, false)).toEqual([
      [255, 0, 0],
      [0, 255, 0],
    ])
    expect(new Set(groupColours(60, paint.palette, true).map(String)).size).toBe(60)
  })

  it('follow the groups of points', () => {
    const [column] = columnsOf([['b'], ['a'], ['b']], [], unnamed)
    expect([...pointColours(3, column!, paint)]).toEqual([0, 255, 0, 255, 0, 0, 0, 255, 0])
    expect([...pointColours(1, null, paint)]).toEqual([0, 0, 255])
  })

  it('go along a scale from its first to its last', () => {
    const scale = scaleColours(false)
    expect(colourAt(scale, 0)).toEqual(scale[0])
    expect(colourAt(scale, 2)).toEqual(scale.at(-1))
    expect(rgbOf('#102030')).toEqual([16, 32, 48])
  })

  it('leave out groups that are switched off', () => {
    const groups = columnsOf([['b'], ['a'], ['b']], [], unnamed)[0]!.content as Groups
    expect([...shownPoints(groups, ['b'])!]).toEqual([0, 1, 0])
    expect(shownPoints(groups, [])).toBeNull()
    expect(shownPoints(groups, ['gone'])).toBeNull()
  })
})

describe('places', () => {
  const projected = {
    values: new Float32Array([0, 0, 9, 4, 0, 9, 0, 2, 9, 4, 2, 9, NaN, NaN, NaN]),
    count: 5,
    columns: 3,
  }

  it('fill the unit sphere around the middle, and keep the proportions', () => {
    const positions = placed(projected, 2, [0, 1, 2])
    const far = Math.sqrt(5)
    expect([...positions.slice(0, 3)].map((value) => value + 0)).toEqual([
      expect.closeTo(-2 / far),
      expect.closeTo(-1 / far),
      0,
    ])
    expect(countUnplaced(positions)).toBe(1)
  })

  it('take the components that are asked for; those that are not there are flat', () => {
    const positions = placed(projected, 3, [1, 0, 7])
    expect([...positions.slice(3, 6)].map((value) => value + 0)).toEqual([
      expect.closeTo(-1 / Math.sqrt(5)),
      expect.closeTo(2 / Math.sqrt(5)),
      0,
    ])
  })

  it('are all in the middle when all points are the same', () => {
    expect([
      ...placed({ values: new Float32Array([3, 3, 3, 3]), count: 2, columns: 2 }, 3, [0, 1, 2]),
    ]).toEqual([0, 0, 0, 0, 0, 0])
  })
})

describe('emphasis', () => {
  const positions = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, NaN, NaN, NaN])
  const flat = (...emphasis: readonly (readonly [number, number])[]): readonly number[] => [
    ...new Float32Array(emphasis.flat()),
  ]

  it('are plain, and nothing where there is no place', () => {
    expect([...emphasisOf({ positions, shown: null, matches: null, chosen: [] })]).toEqual(
      flat(PLAIN, PLAIN, PLAIN, HIDDEN),
    )
  })

  it('make stand out what is searched for and what is selected, but never what is switched off', () => {
    const shown = new Uint8Array([1, 1, 0, 1])
    expect([...emphasisOf({ positions, shown, matches: new Uint8Array([1, 0, 1, 1]), chosen: [] })]).toEqual(
      flat(STRONG, FADED, HIDDEN, HIDDEN),
    )
    expect([...emphasisOf({ positions, shown, matches: null, chosen: [1, 2] })]).toEqual(
      flat(QUIET, STRONG, HIDDEN, HIDDEN),
    )
  })
})

it('writes points as a table', () => {
  const columns = columnsOf([['a "b", c'], ['']], ['word'], unnamed)
  const table = pointsTable(
    { values: new Float32Array([1, 2.5, NaN, NaN]), count: 2, columns: 2 },
    ['PC1', 'PC2', 'PC3'],
    columns,
  )
  expect(table).toBe('point,PC1,PC2,word\n0,1,2.5,"a ""b"", c"\n1,,,\n')
})
