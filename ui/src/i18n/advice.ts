/** Advice about a profile in words: one sentence for each rule, made of the numbers behind it. */

import type { Advice } from '@/api/profiles'
import { language } from './index'

type Numbers = Advice['numbers']
type Sentence = (numbers: Numbers) => string

const SENTENCES: Readonly<Record<string, { readonly en: Sentence; readonly zh: Sentence }>> = {}

/** A rule that this page does not know yet is told as it is. */
export function adviceText({ rule, numbers }: Advice): string {
  const known = SENTENCES[rule]
  return known ? known[language.value === 'zh' ? 'zh' : 'en'](numbers) : `${rule}: ${Object.entries(numbers).map(([name, value]) => `${name} ${value}`).join(', ')}`
}
