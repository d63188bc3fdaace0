/** ZIP archives of files that are packed already (pictures), so they are stored as they are. */

export interface ZipFile {
  readonly name: string
  readonly data: Uint8Array<ArrayBuffer>
  readonly time: Date
}

/** What the format without its 64-bit extension can hold. */
const MOST_FILES = 0xffff
const MOST_BYTES = 0xffff_ffff

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? 0xedb88320 ^ (sum >>> 1) : sum >>> 1
  return sum
})

export function crc32(data: Uint8Array): number {
  let sum = 0xffff_ffff
  for (const byte of data) sum = CRC_TABLE[(sum ^ byte) & 0xff]! ^ (sum >>> 8)
  return ~sum >>> 0
}

/** Numbers one after the other, each with its length in bytes, the low byte first. */
function fields(...numbers: readonly (readonly [bytes: 2 | 4, value: number])[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(numbers.reduce((sum, [bytes]) => sum + bytes, 0)))
  let at = 0
  for (const [bytes, value] of numbers) {
    if (bytes === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += bytes
  }
  return new Uint8Array(view.buffer)
}

/** Time and date as MS-DOS had them, which knew nothing before 1980. */
function dosTime(time: Date): readonly [number, number] {
  const year = time.getFullYear()
  if (!(year >= 1980 && year < 2108)) return [0, 0x21]
  return [(time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1), ((year - 1980) << 9) | ((time.getMonth() + 1) << 5) | time.getDate()]
}

const VERSION = 20
const UTF8_NAMES = 0x0800
const STORED = 0

/** The archive; names must differ. Throws a RangeError when it would be larger than the format allows. */
export function zipOf(files: readonly ZipFile[]): Blob {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const directory: Uint8Array<ArrayBuffer>[] = []
  let offset = 0
  for (const { name, data, time } of files) {
    const bytes = new TextEncoder().encode(name)
    const [clock, date] = dosTime(time)
    const common = [
      [2, VERSION], [2, UTF8_NAMES], [2, STORED], [2, clock], [2, date], [4, crc32(data)], [4, data.length], [4, data.length], [2, bytes.length], [2, 0],
    ] as const
    const local = fields([4, 0x04034b50], ...common)
    parts.push(local, bytes, data)
    directory.push(fields([4, 0x02014b50], [2, VERSION], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), bytes)
    offset += local.length + bytes.length + data.length
  }
  const length = directory.reduce((sum, part) => sum + part.length, 0)
  if (files.length > MOST_FILES || offset + length > MOST_BYTES) throw new RangeError('too large for a ZIP archive')
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, length], [4, offset], [2, 0])
  return new Blob([...parts, ...directory, end], { type: 'application/zip' })
}
