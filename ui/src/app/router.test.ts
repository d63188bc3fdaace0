import { expect, test } from 'vitest'
import served from '../../public/routes.json'
import { router } from './router'

test('the service knows the addresses of all pages, so that links into the app work', () => {
  const pages = router
    .getRoutes()
    .filter(({ name }) => name !== 'not-found')
    .map(({ path }) => path)

  expect(served).toEqual(pages.sort())
})
