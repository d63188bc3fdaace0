import { describe, expect, it } from 'vitest'
import { crc32, zipOf } from './zip'

const text = (value: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(value)

describe('crc32', () => {
  it('is the well-known one', () => expect(crc32(text('123456789'))).toBe(0xcbf43926))
})

describe('zipOf', () => {
  it('stores files so that the directory at the end finds them', async () => {
    const files = [{ name: 'a.png', data: text('first'), time: new Date(2026, 0, 2, 3, 4, 6) }, { name: '图/b.png', data: text('second'), time: new Date(0) }]
    const data = new DataView(await zipOf(files).arrayBuffer())

    const end = data.byteLength - 22
    expect(data.getUint32(end, true)).toBe(0x06054b50)
    expect(data.getUint16(end + 10, true)).toBe(2)
    let entry = data.getUint32(end + 16, true)
    for (const file of files) {
      expect(data.getUint32(entry, true)).toBe(0x02014b50)
      const local = data.getUint32(entry + 42, true)
      const nameLength = data.getUint16(local + 26, true)
      const name = new TextDecoder().decode(new Uint8Array(data.buffer, local + 30, nameLength))
      const content = new Uint8Array(data.buffer, local + 30 + nameLength, data.getUint32(local + 18, true))
      expect([name, new TextDecoder().decode(content)]).toEqual([file.name, new TextDecoder().decode(file.data)])
      expect(data.getUint32(local + 14, true)).toBe(crc32(file.data))
      entry += 46 + data.getUint16(entry + 28, true)
    }
    expect(entry).toBe(end)
  })
})
