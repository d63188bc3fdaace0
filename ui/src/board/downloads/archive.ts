/** Many files of the service as one archive. */

import { fetchFile, isAbort } from '@/base/api/client'
import { downloadZip } from 'client-zip'

export interface Entry {
  readonly url: string
  /** Without its ending, which only the file tells. */
  readonly name: string
  readonly time: Date
}

interface ArchiveFile {
  readonly name: string
  readonly input: Blob | string
  readonly lastModified: Date
}

/** A ZIP archive of files, stored as they are: pictures are packed already. Names must differ. */
export const zipOf = (files: Iterable<ArchiveFile>): Promise<Blob> => downloadZip(files).blob()

export interface Archive {
  readonly blob: Blob
  /** Files that could not be had. */
  readonly missing: number
}

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'audio/wav': 'wav',
}
export const endingOf = ({ type }: Blob): string => ENDINGS[type] ?? 'bin'

/** Browsers open six connections to a server; the page goes on meanwhile. */
const CALLS = 3

/** Rejects with an AbortError when `signal` fires. */
export async function archive(
  entries: readonly Entry[],
  signal: AbortSignal,
  progress: (done: number) => void,
): Promise<Archive> {
  const files: (ArchiveFile | null)[] = entries.map(() => null)
  let [next, done] = [0, 0]
  async function work(): Promise<void> {
    while (next < entries.length) {
      const at = next++
      const { url, name, time } = entries[at]!
      try {
        const blob = await fetchFile(url, signal)
        files[at] = { name: `${name}.${endingOf(blob)}`, input: blob, lastModified: time }
      } catch (error) {
        if (isAbort(error)) throw error
      }
      progress(++done)
    }
  }
  await Promise.all(Array.from({ length: CALLS }, work))
  const complete = files.filter((file) => file !== null)
  return { blob: await zipOf(complete), missing: entries.length - complete.length }
}
