/** The words of the page in the selected language: `t.runs`, `t.selected(3)`; only that language is loaded. */

import { computed, ref, shallowReactive, watchEffect, type ComputedRef } from 'vue'
import { LANGUAGES, type WordGroups } from './languages'

export type Language = keyof typeof LANGUAGES
/** Words that load together. */
export type WordGroup = keyof WordGroups
type Words = WordGroups['page'] & WordGroups['boards'] & WordGroups['profiler']

const KEY = 'mi-language'

const isLanguage = (text: string | null): text is Language => text !== null && text in LANGUAGES

/** `?lang=` over what was selected before over what the browser prefers. */
function initial(): Language {
  const requested = new URLSearchParams(location.search).get('lang')
  if (isLanguage(requested)) return requested
  const stored = localStorage.getItem(KEY)
  if (isLanguage(stored)) return stored
  const preferred = navigator.language.toLowerCase().split('-')[0]!
  return isLanguage(preferred) ? preferred : 'en'
}

export const language = ref<Language>(initial())

const loaded = shallowReactive<Partial<Record<Language, Partial<Words>>>>({})
const groups = new Set<WordGroup>(['page'])

/** To be awaited before anything that shows words of the group. */
export async function loadWords(group: WordGroup, of: Language = language.value): Promise<void> {
  groups.add(group)
  const words: Partial<Words> = await LANGUAGES[of].words[group]()
  loaded[of] = { ...loaded[of], ...words }
}

/** What `load` imports, once the words of the group that it shows are there. */
export async function withWords<T>(group: WordGroup, load: () => Promise<T>): Promise<T> {
  const [module] = await Promise.all([load(), loadWords(group)])
  return module
}

/** The words of one area in the selected language. */
export const wordsOf = <A extends keyof Words>(area: A): ComputedRef<Words[A]> =>
  computed(() => loaded[language.value]![area] as Words[A])

export const t = wordsOf('page')

watchEffect(() => {
  document.documentElement.lang = LANGUAGES[language.value].tag
})

/** The language after the selected one. */
export const nextLanguage = computed(() => {
  const all = Object.keys(LANGUAGES) as Language[]
  return all[(all.indexOf(language.value) + 1) % all.length]!
})

/** Switch to a language, once its words are loaded, and remember it. */
export async function selectLanguage(next: Language): Promise<void> {
  await Promise.all([...groups].map((group) => loadWords(group, next)))
  language.value = next
  localStorage.setItem(KEY, next)
}

/** How long ago `seconds` (since 1970) is, in words. */
export function ago(seconds: number, nowSeconds: number): string {
  const passed = Math.max(0, nowSeconds - seconds)
  const words = t.value
  if (passed < 1.5) return words.justNow
  if (passed < 60) return words.secondsAgo(Math.floor(passed))
  if (passed < 3600) return words.minutesAgo(Math.floor(passed / 60))
  if (passed < 86400 * 2) return words.hoursAgo(Math.floor(passed / 3600))
  return words.daysAgo(Math.floor(passed / 86400))
}
