/** The words of the page in the chosen language: `t.runs`, `t.selected(3)`. */

import { computed, ref, watchEffect } from 'vue'
import { en, type Messages } from './en'
import { zh } from './zh'

export type Language = 'en' | 'zh'

const KEY = 'mi-language'
const LANGUAGES: Readonly<Record<Language, Messages>> = { en, zh }

const isLanguage = (text: string | null): text is Language => text === 'en' || text === 'zh'

/** `?lang=` over what was chosen before over what the browser prefers. */
function initial(): Language {
  const asked = new URLSearchParams(location.search).get('lang')
  if (isLanguage(asked)) return asked
  const kept = localStorage.getItem(KEY)
  if (isLanguage(kept)) return kept
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

export const language = ref<Language>(initial())

export const t = computed<Messages>(() => LANGUAGES[language.value])

watchEffect(() => {
  document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en'
})

/** Choose a language and remember it. */
export function chooseLanguage(chosen: Language): void {
  language.value = chosen
  localStorage.setItem(KEY, chosen)
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
