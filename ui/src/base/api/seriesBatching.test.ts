import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LatestRequest } from './latestRequest'
import { fetchSeries } from './seriesBatching'

/** A service with one series for each run and tag; counts its calls. */
const calls: URLSearchParams[] = []
beforeEach(() => {
  calls.length = 0
  vi.stubGlobal('fetch', (url: string, { signal }: RequestInit) => {
    const query = new URLSearchParams(url.split('?')[1])
    calls.push(query)
    const series = query.getAll('tag').flatMap((tag) => query.getAll('run').map((run) => ({ run, tag })))
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new DOMException('cancelled', 'AbortError')))
      setTimeout(() => resolve(new Response(JSON.stringify({ series, rebuilding: [] }))), 5)
    })
  })
})
afterEach(() => vi.unstubAllGlobals())

const one = (tag: string, options: object = {}, signal?: AbortSignal) =>
  fetchSeries('histograms', { run: ['a', 'b'], tag: [tag], ...options }, signal)

it('sends what is requested together as one call, and gives each its own', async () => {
  const answers = await Promise.all(['x', 'y', 'z'].map((tag) => one(tag)))

  expect(calls.map((query) => query.getAll('tag'))).toEqual([['x', 'y', 'z']])
  expect(answers[1]).toEqual([
    { run: 'a', tag: 'y' },
    { run: 'b', tag: 'y' },
  ])
})

it('keeps requests with other options apart, and calls small', async () => {
  await Promise.all([
    one('x'),
    one('y', { max_steps: 3 }),
    ...Array.from({ length: 30 }, (_, i) => one(`t${i}`)),
  ])

  expect(calls.map((query) => query.getAll('tag').length)).toEqual([24, 1, 7])
})

it('goes on while anybody wants the answer', async () => {
  const [first, second] = [new LatestRequest(), new LatestRequest()]
  const [x, y] = [one('x', {}, first.start()), one('y', {}, second.start())]
  setTimeout(() => first.cancel(), 10)

  await expect(x).rejects.toMatchObject({ name: 'AbortError' })
  await expect(y).resolves.toHaveLength(2)
})
