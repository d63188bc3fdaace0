/** Many files of the service as one archive. */

import { fetchFile, isAbort } from '@/api/client'
import { zipOf, type ZipFile } from '@/charts/zip'

export interface Entry {
  readonly url: string
  /** Without its ending, which only the file tells. */
  readonly name: string
  readonly time: Date
}

export interface Archive {
  readonly blob: Blob
  /** Files that could not be had. */
  readonly missing: number
}

const ENDINGS: Readonly<Record<string, string>> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'audio/wav': 'wav' }
export const endingOf = ({ type }: Blob): string => ENDINGS[type] ?? 'bin'

/** Browsers open six connections to a server; the page goes on meanwhile. */
const CALLS = 3

/** Rejects with an AbortError when `signal` fires. */
export async function archive(entries: readonly Entry[], signal: AbortSignal, progress: (done: number) => void): Promise<Archive> {
  const files: (ZipFile | null)[] = entries.map(() => null)
  let [next, done] = [0, 0]
  async function work(): Promise<void> {
    while (next < entries.length) {
      const at = next++
      const { url, name, time } = entries[at]!
      try {
        const blob = await fetchFile(url, signal)
        files[at] = { name: `${name}.${endingOf(blob)}`, data: new Uint8Array(await blob.arrayBuffer()), time }
      } catch (error) {
        if (isAbort(error)) throw error
      }
      progress(++done)
    }
  }
  await Promise.all(Array.from({ length: CALLS }, work))
  const found = files.filter((file) => file !== null)
  return { blob: zipOf(found), missing: entries.length - found.length }
}
