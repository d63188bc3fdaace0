import { afterEach, expect, it } from 'vitest'
import { byTestId, mountInPage, settle } from '@testing/mount'
import { FAILED, PENDING, serve } from '@testing/service'
import type { BoardState } from './api'
import { board } from './boardOffer'
import BoardOffer from './BoardOffer.vue'

const own: BoardState = {
  id: 'new',
  base_dirs: ['/data/new'],
  notes: 0,
  labelled: 0,
  views: 0,
  offer: null,
  problem: '',
}
const offer = {
  ...own,
  id: 'old',
  base_dirs: ['/data/old'],
  notes: 5,
  same_runs: 8,
  runs: 9,
  is_checked: true,
}

afterEach(() => (board.state.value = null))

it('is silent while nothing is known, and when the folder is its own board', async () => {
  const bar = mountInPage(BoardOffer)
  expect(bar.find('*').exists()).toBe(false)

  board.state.value = own
  await settle()
  expect(byTestId(bar, 'board-offer').exists()).toBe(false)
})

it('offers the annotations of the folder that has moved, and uses them', async () => {
  board.state.value = { ...own, offer }
  const bar = mountInPage(BoardOffer)
  expect(byTestId(bar, 'board-offer').text()).toContain('/data/old')
  expect(byTestId(bar, 'board-offer').text()).toMatch(/8.*9.*5/)

  serve({ board: { ...own, id: 'old' } })
  await byTestId(bar, 'board-use').trigger('click')
  await settle()
  expect(byTestId(bar, 'board-offer').exists()).toBe(false)
  expect(board.state.value?.id).toBe('old')
})

it('waits for the answer, and says why it failed', async () => {
  board.state.value = { ...own, offer }
  const bar = mountInPage(BoardOffer)
  serve({ 'board/decline': PENDING })
  await byTestId(bar, 'board-decline').trigger('click')
  expect(byTestId(bar, 'board-use').attributes('disabled')).toBe('')
  bar.unmount()

  const again = mountInPage(BoardOffer)
  serve({ 'board/decline': FAILED })
  await byTestId(again, 'board-decline').trigger('click')
  await settle()
  expect(again.find('[role=alert]').text()).toContain('the disk is on fire')
  expect(byTestId(again, 'board-decline').attributes('disabled')).toBeUndefined()
})

it('says why annotations cannot be shown', async () => {
  board.state.value = { ...own, problem: 'annotations.db is not readable' }
  const bar = mountInPage(BoardOffer)

  expect(byTestId(bar, 'board-problem').text()).toContain('annotations.db is not readable')
})
