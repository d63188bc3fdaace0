/** The languages of the page, a folder each. English gives the shape: a word that another one lacks is a type error. */

import type * as page from './en'
import type * as profiler from './en/profiler'

export type PageWords = typeof page
export type ProfilerWords = typeof profiler

interface LanguageFiles {
  /** As in the `lang` attribute. */
  readonly tag: string
  /** On the button that switches to it. */
  readonly label: string
  readonly page: () => Promise<PageWords>
  readonly profiler: () => Promise<ProfilerWords>
}

export const LANGUAGES = {
  en: { tag: 'en', label: 'EN', page: () => import('./en'), profiler: () => import('./en/profiler') },
  zh: { tag: 'zh-CN', label: '中', page: () => import('./zh'), profiler: () => import('./zh/profiler') },
} as const satisfies Readonly<Record<string, LanguageFiles>>
