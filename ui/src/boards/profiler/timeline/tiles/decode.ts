/** What the service answers about a stretch of time: rectangles of lanes, in binary. */

/** Neighbours in one lane, in order of time; columns of the same length. */
export interface Lane {
  /** Nanoseconds as in the recording. */
  readonly begin: Float64Array
  readonly duration: Float64Array
  /** Position in the list of texts. */
  readonly name: Uint32Array
  /** Of the longest of the slices that are drawn as this one. */
  readonly row: Uint32Array
  readonly count: Uint32Array
  readonly activity: Uint8Array
}

export interface Drawing {
  readonly from: number
  readonly to: number
  /** Lanes by their number, for each track that has something to show. */
  readonly tracks: ReadonlyMap<number, ReadonlyMap<number, Lane>>
}

const HEADER = 28
const GROUP = 12
const COLUMNS = 8 + 8 + 4 + 4 + 4 + 1

/** Throws an Error where the bytes are not such an answer. */
export function decode(buffer: ArrayBuffer): Drawing {
  const view = new DataView(buffer)
  if (buffer.byteLength < HEADER || view.getUint32(0) !== 0x4d49544c || view.getUint32(4, true) !== 1)
    throw new Error('not a drawing of a timeline')
  const [from, to] = [Number(view.getBigInt64(8, true)), Number(view.getBigInt64(16, true))]
  const groups = view.getUint32(24, true)
  const start = HEADER + groups * GROUP
  if (buffer.byteLength < start) throw new Error('the drawing of a timeline is cut off')
  let total = 0
  for (let i = 0; i < groups; i++) total += view.getUint32(HEADER + i * GROUP + 8, true)
  if (buffer.byteLength < start + total * COLUMNS) throw new Error('the drawing of a timeline is cut off')

  // Columns begin at multiples of 4, so that those of 8 bytes have to be moved.
  let at = start
  const take = (width: number): ArrayBuffer => buffer.slice(at, (at += width * total))
  const begin = new Float64Array(take(8)).map((time) => time + from)
  const duration = new Float64Array(take(8))
  const [name, row, count] = [new Uint32Array(take(4)), new Uint32Array(take(4)), new Uint32Array(take(4))]
  const activity = new Uint8Array(take(1))

  const tracks = new Map<number, Map<number, Lane>>()
  let low = 0
  for (let i = 0; i < groups; i++) {
    const [track, lane, length] = [0, 4, 8].map((place) =>
      view.getUint32(HEADER + i * GROUP + place, true),
    ) as [number, number, number]
    const high = low + length
    const lanes = tracks.get(track) ?? new Map<number, Lane>()
    lanes.set(lane, {
      begin: begin.subarray(low, high),
      duration: duration.subarray(low, high),
      name: name.subarray(low, high),
      row: row.subarray(low, high),
      count: count.subarray(low, high),
      activity: activity.subarray(low, high),
    })
    tracks.set(track, lanes)
    low = high
  }
  return { from, to, tracks }
}

/** The last one that begins at `time` or before, -1 for none. */
export function lastBefore({ begin }: Lane, time: number): number {
  let [low, high] = [0, begin.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (begin[middle]! <= time) low = middle + 1
    else high = middle
  }
  return low - 1
}
