/** Names of what became of the records of a profile; those that readers and analyses give are listed in `profiler/traces/trace.py`. */

import { wordsOf } from '@/i18n'

const names = wordsOf('recordCounts')

/** In the language of the page; of a newer service the name as it is. */
export const countName = (count: string): string =>
  (names.value as Readonly<Record<string, string>>)[count] ?? count
