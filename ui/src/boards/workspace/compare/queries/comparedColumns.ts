/** Curves as the service packs them: a description in JSON, then each column of all curves in one piece. */

export interface Packed<D> {
  readonly described: D
  /** The columns of each series, in the order of the description. */
  readonly series: readonly Readonly<Record<string, Float64Array>>[]
}

interface Sized {
  readonly series: readonly { readonly points: number }[]
  readonly columns: readonly { readonly name: string; readonly type: string; readonly count: number }[]
}

const KINDS: Readonly<
  Record<string, Int32ArrayConstructor | Float32ArrayConstructor | Float64ArrayConstructor>
> = { i4: Int32Array, f4: Float32Array, f8: Float64Array }
const SIGN = 0x4d494343
const STEP = 8

/** Throws an Error where the bytes are not such an answer. */
export function unpack<D>(buffer: ArrayBuffer): Packed<D> {
  const view = new DataView(buffer)
  if (buffer.byteLength < STEP || view.getUint32(0) !== SIGN) throw new Error('not an answer with columns')
  let at = STEP + view.getUint32(4, true)
  if (at > buffer.byteLength) throw new Error('the columns are cut off')
  const described = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, STEP, at - STEP))) as D & Sized
  const series = described.series.map((): Record<string, Float64Array> => ({}))
  for (const { name, type, count } of described.columns) {
    const Kind = KINDS[type]
    if (!Kind || at + count * Kind.BYTES_PER_ELEMENT > buffer.byteLength)
      throw new Error('the columns are cut off')
    const numbers = new Float64Array(new Kind(buffer, at, count))
    at += Math.ceil((count * Kind.BYTES_PER_ELEMENT) / STEP) * STEP
    let from = 0
    described.series.forEach(
      ({ points }, place) => (series[place]![name] = numbers.subarray(from, (from += points))),
    )
  }
  return { described, series }
}
