/** For tests: every language at once, so that they can switch without waiting. */

import { loadWords } from './index'

await Promise.all(
  (['en', 'zh'] as const).flatMap((language) =>
    (['page', 'boards', 'profiler'] as const).map((group) => loadWords(group, language)),
  ),
)
