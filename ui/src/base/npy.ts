/** Arrays of numpy out of .npy files. */

export type Column =
  Float32Array | Float64Array | Int8Array | Int16Array | Int32Array | Uint8Array | Uint16Array | Uint32Array

export interface NumberArray {
  readonly shape: readonly number[]
  /** In row order. */
  readonly values: Column
}

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]

/** How numbers of a type are read; those of 64 bits that JavaScript lacks become doubles. */
const TYPES: Readonly<
  Record<string, { readonly bytes: number; read(buffer: ArrayBuffer, from: number, count: number): Column }>
> = {
  f4: { bytes: 4, read: (buffer, from, count) => new Float32Array(buffer, from, count) },
  f8: { bytes: 8, read: (buffer, from, count) => new Float64Array(buffer, from, count) },
  i1: { bytes: 1, read: (buffer, from, count) => new Int8Array(buffer, from, count) },
  i2: { bytes: 2, read: (buffer, from, count) => new Int16Array(buffer, from, count) },
  i4: { bytes: 4, read: (buffer, from, count) => new Int32Array(buffer, from, count) },
  i8: {
    bytes: 8,
    read: (buffer, from, count) => Float64Array.from(new BigInt64Array(buffer, from, count), Number),
  },
  u1: { bytes: 1, read: (buffer, from, count) => new Uint8Array(buffer, from, count) },
  b1: { bytes: 1, read: (buffer, from, count) => new Uint8Array(buffer, from, count) },
  u2: { bytes: 2, read: (buffer, from, count) => new Uint16Array(buffer, from, count) },
  u4: { bytes: 4, read: (buffer, from, count) => new Uint32Array(buffer, from, count) },
  u8: {
    bytes: 8,
    read: (buffer, from, count) => Float64Array.from(new BigUint64Array(buffer, from, count), Number),
  },
}

/** The array of a file; throws an Error that says what is wrong with it. Numbers are not copied where that can be avoided. */
export function readNpy(buffer: ArrayBuffer): NumberArray {
  const bytes = new Uint8Array(buffer)
  if (bytes.length < 10 || !MAGIC.every((byte, i) => bytes[i] === byte)) throw new Error('not a .npy file')
  const view = new DataView(buffer)
  const isLong = bytes[6]! >= 2
  const begin = isLong ? 12 : 10
  const from = begin + (isLong ? view.getUint32(8, true) : view.getUint16(8, true))
  if (from > bytes.length) throw new Error('the .npy file ends in its header')
  const header = new TextDecoder('latin1').decode(bytes.subarray(begin, from))
  const type = /'descr':\s*'[<|=]([a-z]\d+)'/.exec(header)?.[1] ?? ''
  const shape = /'shape':\s*\(([^)]*)\)/
    .exec(header)?.[1]
    ?.split(',')
    .map((size) => size.trim())
    .filter(Boolean)
    .map(Number)
  const reader = TYPES[type]
  if (!reader || !shape || /'fortran_order':\s*True/.test(header))
    throw new Error('a .npy file of another form')
  const count = shape.reduce((product, size) => product * size, 1)
  if (!Number.isSafeInteger(count) || count < 0 || from + count * reader.bytes > bytes.length)
    throw new Error('the .npy file ends before its numbers')
  // Headers are padded to 64 bytes; an odd one would not be aligned.
  const aligned = from % reader.bytes === 0
  return {
    shape,
    values: aligned ? reader.read(buffer, from, count) : reader.read(buffer.slice(from), 0, count),
  }
}
