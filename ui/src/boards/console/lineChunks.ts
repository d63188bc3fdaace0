/** Lines in view and around it, fetched in chunks of equal size; those not looked at for long are dropped. */

import { shallowReactive } from 'vue'
import type { ConsoleLine } from './api'

export const CHUNK = 500
const MOST_CHUNKS = 40

export class LineChunks {
  private readonly chunks = shallowReactive(new Map<number, readonly ConsoleLine[]>())
  private readonly pending = new Set<number>()
  private total = 0

  constructor(
    private readonly fetch: (from: number, limit: number) => Promise<readonly ConsoleLine[]>,
    private readonly onFailed: (error: unknown) => void,
  ) {}

  line(number: number): ConsoleLine | undefined {
    return this.chunks.get(Math.floor(number / CHUNK))?.[number % CHUNK]
  }

  /** Fetch what is missing of the lines from one to before another, of `total`. */
  want(from: number, to: number, total: number): void {
    this.total = total
    const first = Math.floor(from / CHUNK)
    const last = Math.floor(Math.max(from, Math.min(to, total) - 1) / CHUNK)
    for (let key = first; key <= last; key++) {
      if ((this.chunks.get(key)?.length ?? 0) < this.sizeOf(key)) void this.load(key)
    }
    for (const key of this.chunks.keys()) {
      if (this.chunks.size <= MOST_CHUNKS) break
      if (key < first || key > last) this.chunks.delete(key)
    }
  }

  clear(): void {
    this.chunks.clear()
  }

  private sizeOf(key: number): number {
    return Math.min(CHUNK, this.total - key * CHUNK)
  }

  /** Lines may be so long that an answer holds fewer than were asked for. */
  private async load(key: number): Promise<void> {
    if (this.pending.has(key)) return
    this.pending.add(key)
    try {
      const lines: ConsoleLine[] = []
      while (lines.length < this.sizeOf(key)) {
        const more = await this.fetch(key * CHUNK + lines.length, this.sizeOf(key) - lines.length)
        if (more.length === 0) break
        lines.push(...more)
      }
      this.chunks.set(key, lines)
    } catch (error) {
      this.onFailed(error)
    } finally {
      this.pending.delete(key)
    }
  }
}
