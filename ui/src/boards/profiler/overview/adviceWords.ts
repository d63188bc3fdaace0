/** Advice about a profile in words: one sentence for each rule, made of the numbers behind it. */

import { wordsOf } from '@/i18n'
import type { AdviceNumbers } from '@/i18n/en/profiler/advice'
import { formatBytes, formatCompact, formatCount, formatValue } from '@/base/numbers'
import { operatorWords } from '@/boards/profiler/operators/words'
import type { Advice } from '@/boards/profiler/shared/api'
import { percent, spokenTime } from '@/boards/profiler/shared/cellText'

type Numbers = Advice['numbers']

const sentences = wordsOf('advice')

/** The numbers of the advice as people read them. */
const format = (numbers: Numbers): AdviceNumbers => ({
  text: (name) => String(numbers[name]),
  count: (name) => formatCount(Number(numbers[name])),
  share: (name) => percent(Number(numbers[name])),
  time: (name) => spokenTime(Number(numbers[name])),
  bytes: (name) => formatBytes(Number(numbers[name])),
  large: (name) => formatCompact(Number(numbers[name])),
  speed: (name) => formatValue(Number(Number(numbers[name]).toPrecision(3))),
  number: (name) => Number(numbers[name]),
  side: (name) => operatorWords.value.sides[String(numbers[name])] ?? String(numbers[name]),
})

/** A rule that this page does not know yet is told as it is. */
export function adviceText({ rule, numbers }: Advice): string {
  const sentence = (sentences.value as Readonly<Record<string, (n: AdviceNumbers) => string>>)[rule]
  return sentence
    ? sentence(format(numbers))
    : `${rule}: ${Object.entries(numbers)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}`
}
