import { afterEach, expect, it } from 'vitest'
import { effectScope, nextTick } from 'vue'
import { useFoldedGroups } from './foldedGroups'

afterEach(() => localStorage.clear())

const GROUPS = ['open', 'closed'].map((prefix) => ({ prefix, tags: [] }))

function folding() {
  return effectScope().run(() =>
    useFoldedGroups(
      () => GROUPS,
      (prefix) => prefix === 'closed',
    ),
  )!
}

it('keeps groups as they start until they are folded or opened, and remembers that', async () => {
  const { isFolded, fold } = folding()
  expect(GROUPS.map(({ prefix }) => isFolded(prefix))).toEqual([false, true])

  fold('open')
  fold('closed')
  await nextTick()

  expect(GROUPS.map(({ prefix }) => isFolded(prefix))).toEqual([true, false])
  expect(GROUPS.map(({ prefix }) => folding().isFolded(prefix))).toEqual([true, false])
})

it('folds all, then opens all', () => {
  const { isFolded, foldAll, isAllFolded } = folding()
  foldAll()
  expect([isAllFolded.value, ...GROUPS.map(({ prefix }) => isFolded(prefix))]).toEqual([true, true, true])
  foldAll()
  expect([isAllFolded.value, ...GROUPS.map(({ prefix }) => isFolded(prefix))]).toEqual([false, false, false])
})
