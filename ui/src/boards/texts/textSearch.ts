/** Words found in what cards show: all places marked, one of them the current. */

import {
  computed,
  nextTick,
  onScopeDispose,
  ref,
  shallowRef,
  type ComputedRef,
  type Ref,
  type ShallowRef,
} from 'vue'
import { rangesOf } from './searchRanges'

/** The browser's own marks, which change nothing in the page; older browsers only scroll. */
const all = typeof Highlight === 'undefined' ? null : new Highlight()
const current = typeof Highlight === 'undefined' ? null : new Highlight()
if (all && current) {
  current.priority = 1
  CSS.highlights.set('found', all)
  CSS.highlights.set('found-here', current)
}

export interface TextSearch {
  readonly count: ComputedRef<number>
  /** Position among the found; -1 when none was gone to. */
  readonly at: Readonly<Ref<number>>
  /** Look anew: other content or other words. */
  look(): void
  /** Go to the next or previous one; false when there is none before the end. */
  move(by: 1 | -1): boolean
  /** Go to the first or last as soon as there is other content. */
  expect(end: 'first' | 'last'): void
}

export function useTextSearch(
  root: Readonly<ShallowRef<HTMLElement | null>>,
  words: () => string,
): TextSearch {
  const ranges = shallowRef<readonly Range[]>([])
  const at = ref(-1)
  let expected: 'first' | 'last' | null = null
  let isDue = false

  function forget(): void {
    for (const range of ranges.value) {
      all?.delete(range)
      current?.delete(range)
    }
    ranges.value = []
    at.value = -1
  }

  function goTo(position: number): void {
    const range = ranges.value[position]
    if (!range) return
    if (at.value >= 0) current?.delete(ranges.value[at.value]!)
    at.value = position
    current?.add(range)
    range.startContainer.parentElement?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }

  function look(): void {
    // Several panes are drawn in one go.
    if (isDue) return
    isDue = true
    void nextTick(() => {
      isDue = false
      forget()
      if (!root.value) return
      ranges.value = [...root.value.querySelectorAll<HTMLElement>('[data-searched]')].flatMap((box) =>
        rangesOf(box, words()),
      )
      for (const range of ranges.value) all?.add(range)
      if (expected && ranges.value.length > 0) {
        goTo(expected === 'first' ? 0 : ranges.value.length - 1)
        expected = null
      }
    })
  }

  onScopeDispose(forget)

  return {
    count: computed(() => ranges.value.length),
    at,
    look,
    move(by) {
      const next = at.value < 0 && by < 0 ? ranges.value.length - 1 : at.value + by
      if (next < 0 || next >= ranges.value.length) return false
      goTo(next)
      return true
    },
    expect: (end) => (expected = end),
  }
}
