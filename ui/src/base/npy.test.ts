import { describe, expect, it } from 'vitest'
import { readNpy } from './npy'

function file(header: string, content: ArrayBufferView, version = 1): ArrayBuffer {
  const head = new TextEncoder().encode(header)
  const length =
    version === 1 ? [head.length & 255, head.length >> 8] : [head.length & 255, head.length >> 8, 0, 0]
  const bytes = new Uint8Array(content.buffer, content.byteOffset, content.byteLength)
  return Uint8Array.from([
    0x93,
    ...new TextEncoder().encode('NUMPY'),
    version,
    0,
    ...length,
    ...head,
    ...bytes,
  ]).buffer
}

describe('a .npy file', () => {
  it('gives shape and numbers, aligned or not', () => {
    for (const pad of ['', ' ', '   ']) {
      const { shape, values } = readNpy(
        file(
          `{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }${pad}\n`,
          Float32Array.of(1, 2, 3, 4, 5, 6.5),
        ),
      )
      expect(shape).toEqual([1, 2, 3])
      expect([...values]).toEqual([1, 2, 3, 4, 5, 6.5])
    }
  })

  it('gives whole numbers of 64 bits as doubles', () => {
    expect([
      ...readNpy(
        file("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", BigInt64Array.of(-1n, 7n), 2),
      ).values,
    ]).toEqual([-1, 7])
  })

  it.each([
    ['no array', new ArrayBuffer(4)],
    ['another type', file("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", new Uint8Array(8))],
    ['columns first', file("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", new Uint8Array(8))],
    ['too few numbers', file("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", new Uint8Array(8))],
    [
      'absurdly many',
      file(
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }",
        new Uint8Array(8),
      ),
    ],
  ])('is refused when it is %s', (_, given) => {
    expect(() => readNpy(given)).toThrow('.npy')
  })
})
