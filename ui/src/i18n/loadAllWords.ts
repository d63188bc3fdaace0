/** For tests: every language at once, so that they can switch without waiting. */

import { loadWords } from './index'

await Promise.all(
  (['en', 'zh'] as const).flatMap((language) => [
    loadWords('page', language),
    loadWords('profiler', language),
  ]),
)
