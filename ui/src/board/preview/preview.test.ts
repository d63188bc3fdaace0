import { expect, it, vi } from 'vitest'
import { ref, shallowRef } from 'vue'
import { byTestId, mountInPage } from '@testing/mount'
import { ApiError } from '@/base/api/client'
import FactTable from './FactTable.vue'
import PreviewBody from './PreviewBody.vue'

const loadingState = (isLoaded: boolean, error: unknown = null) => ({
  isLoaded: ref(isLoaded),
  error: shallowRef(error),
  retry: vi.fn(),
})
const slots = { default: '<p class="preview">loss</p>' }

it('holds the place of a preview until its data is here', () => {
  const body = mountInPage(PreviewBody, { props: { loading: loadingState(false), isEmpty: true }, slots })

  expect(byTestId(body, 'tile-skeleton').exists()).toBe(true)
  expect(body.find('.preview').exists()).toBe(false)
})

it('says why a preview failed and retries', async () => {
  const loading = loadingState(false, new ApiError('disk full', 500, 'internal'))
  const body = mountInPage(PreviewBody, { props: { loading, isEmpty: true }, slots })
  expect(byTestId(body, 'state-failed').text()).toContain('disk full')

  await byTestId(body, 'retry').trigger('click')
  expect(loading.retry).toHaveBeenCalledOnce()
})

it('keeps showing a preview whose refresh failed', () => {
  const loading = loadingState(true, new ApiError('disk full', 500, 'internal'))
  const body = mountInPage(PreviewBody, { props: { loading, isEmpty: false }, slots })

  expect(body.find('.preview').exists()).toBe(true)
  expect(byTestId(body, 'state-failed').exists()).toBe(false)
})

it('says why there is nothing to preview, without offering a retry', () => {
  const body = mountInPage(PreviewBody, {
    props: { loading: loadingState(true), isEmpty: true, note: 'not a layout' },
    slots,
  })

  expect(byTestId(body, 'state-failed').text()).toBe('not a layout')
  expect(byTestId(body, 'retry').exists()).toBe(false)
})

it('lists facts with their names first, under a head only if there is one', async () => {
  const table = mountInPage(FactTable, {
    props: {
      rows: [
        ['lr', '0.1'],
        ['momentum', '0.9'],
      ],
    },
  })
  expect(table.findAll('tr').map((row) => row.findAll('td').map((cell) => cell.text()))).toEqual([
    ['lr', '0.1'],
    ['momentum', '0.9'],
  ])
  expect(table.find('thead').exists()).toBe(false)

  await table.setProps({ head: ['parameter', 'value'] })
  expect(table.findAll('th[scope=col]').map((cell) => cell.text())).toEqual(['parameter', 'value'])
})
