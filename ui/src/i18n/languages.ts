/** The languages of the page, a folder each. English gives the shape: a word that another one lacks is a type error. */

import type * as page from './en'
import type * as boards from './en/boards'
import type * as profiler from './en/profiler'

export type PageWords = typeof page
/** Words by what they load with: every page, boards of single kinds, the profiler. */
export interface WordGroups {
  readonly page: PageWords
  readonly boards: typeof boards
  readonly profiler: typeof profiler
}

interface LanguageFiles {
  /** As in the `lang` attribute. */
  readonly tag: string
  /** On the button that switches to it. */
  readonly label: string
  readonly words: { readonly [G in keyof WordGroups]: () => Promise<WordGroups[G]> }
}

export const LANGUAGES = {
  en: {
    tag: 'en',
    label: 'EN',
    words: {
      page: () => import('./en'),
      boards: () => import('./en/boards'),
      profiler: () => import('./en/profiler'),
    },
  },
  zh: {
    tag: 'zh-CN',
    label: '中',
    words: {
      page: () => import('./zh'),
      boards: () => import('./zh/boards'),
      profiler: () => import('./zh/profiler'),
    },
  },
} as const satisfies Readonly<Record<string, LanguageFiles>>
