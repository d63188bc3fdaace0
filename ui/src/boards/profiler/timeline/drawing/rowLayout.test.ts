import { describe, expect, it } from 'vitest'
import { LANE, laneAt, lanesIn, laneTop, layoutOf, rowsIn, type Content, type TrackRow } from './rowLayout'

const track = (id: number, process: string, lanes: number, order = id) => ({
  id,
  name: `track ${id}`,
  process,
  order,
  lanes,
  slices: 1,
  place: '',
  device: -1,
})
const CONTENT: Content = {
  id: 'a',
  title: 'rank 0',
  note: '',
  tracks: [track(0, 'python', 3, 2), track(1, 'device', 1, 5), track(2, 'python', 1, 1)],
  counters: [{ name: 'load', unit: '%', source: 'run' }],
}
const NAMES = { measures: 'Counters', pinned: 'Pinned' }
const titles = (folded: string[] = [], contents = [CONTENT], pinned: string[] = []) =>
  layoutOf(contents, new Set(folded), NAMES, new Set(pinned)).rows.map(({ title }) => title)

describe('rows of the timeline', () => {
  it('are tracks by process in their own order, and counters below', () => {
    expect(titles()).toEqual(['python', 'track 2', 'track 0', 'device', 'track 1', 'Counters', 'load (%)'])
  })

  it('vanish where their title is folded', () => {
    expect(titles(['a.p0', 'a.c'])).toEqual(['python', 'device', 'track 1', 'Counters'])
    expect(titles(['a'], [CONTENT, { ...CONTENT, id: 'b', title: 'rank 1' }]).slice(0, 3)).toEqual([
      'rank 0',
      'rank 1',
      'python',
    ])
  })

  it('come first where they are pinned, from all recordings, and only there', () => {
    expect(titles([], [CONTENT], ['a.1'])).toEqual([
      'Pinned',
      'track 1',
      'python',
      'track 2',
      'track 0',
      'device',
      'Counters',
      'load (%)',
    ])
    const other = { ...CONTENT, id: 'b', title: 'rank 1' }
    expect(titles([], [CONTENT, other], ['a.0', 'b.0']).slice(0, 3)).toEqual([
      'Pinned',
      'track 0 · rank 0',
      'track 0 · rank 1',
    ])
    expect(titles(['pins'], [CONTENT], ['a.1']).slice(0, 2)).toEqual(['Pinned', 'python'])
  })

  it('that lie in sight are found', () => {
    const layout = layoutOf([CONTENT], new Set(), NAMES)
    const tall = layout.rows[2] as TrackRow

    expect(rowsIn(layout, tall.y + 1, tall.y + 2)).toEqual([tall])
    expect(rowsIn(layout, 0, layout.height)).toEqual(layout.rows)
    expect(lanesIn(tall, laneTop(tall, 1) + 1, laneTop(tall, 2) - 1)).toEqual([1, 2])
    expect(laneAt(tall, laneTop(tall, 2) + LANE / 2)).toBe(2)
    expect(laneAt(tall, tall.y)).toBeNull()
  })

  it('that are folded keep their lanes, smaller', () => {
    const folded = layoutOf([CONTENT], new Set(['a.0']), NAMES).rows[2] as TrackRow

    expect(folded.height).toBeLessThan(3 * LANE)
    expect(laneAt(folded, laneTop(folded, 2) + 1)).toBe(2)
  })
})
