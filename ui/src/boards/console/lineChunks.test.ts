import { describe, expect, it } from 'vitest'
import type { ConsoleLine } from './api'
import { CHUNK, LineChunks } from './lineChunks'

const lineAt = (number: number): ConsoleLine => ({ number, text: `line ${number}`, level: null, time: null })
const settled = () => new Promise((resolve) => setTimeout(resolve))

function chunksOf(total: () => number, most = Infinity) {
  const asked: number[] = []
  const chunks = new LineChunks(
    (from, limit) => {
      asked.push(from)
      const count = Math.max(0, Math.min(limit, most, total() - from))
      return Promise.resolve(Array.from({ length: count }, (_, i) => lineAt(from + i)))
    },
    (error) => {
      throw error
    },
  )
  return { chunks, asked }
}

describe('lines in chunks', () => {
  it('are fetched once, and again where lines were added', async () => {
    let total = 1200
    const { chunks, asked } = chunksOf(() => total)
    chunks.want(400, 1200, total)
    chunks.want(400, 1200, total)
    await settled()
    expect(asked).toEqual([0, CHUNK, 2 * CHUNK])
    expect(chunks.line(1199)?.text).toBe('line 1199')
    total = 1201
    chunks.want(1100, 1201, total)
    await settled()
    expect(asked.slice(3)).toEqual([2 * CHUNK])
    expect(chunks.line(1200)?.text).toBe('line 1200')
  })

  it('are completed where answers are short, and dropped when there are many', async () => {
    const { chunks } = chunksOf(() => 100 * CHUNK, 200)
    for (let key = 0; key < 100; key++) {
      chunks.want(key * CHUNK, (key + 1) * CHUNK, 100 * CHUNK)
      await settled()
    }
    expect(chunks.line(99 * CHUNK + 499)?.number).toBe(99 * CHUNK + 499)
    expect(chunks.line(0)).toBeUndefined()
  })
})
