/** The service as component tests see it: `fetch` answers by path, keeps a request waiting, or fails. */

import { afterEach, vi } from 'vitest'

/** A request that is never answered. */
export const PENDING = Symbol('pending')
/** A request that is answered with an error of the service. */
export const FAILED = Symbol('failed')

/** By the end of the path, such as `runs` or `scalars/tags`; the first one that fits counts. */
export type Replies = Readonly<Record<string, unknown>>

const bodyOf = (reply: unknown, url: URL): unknown =>
  typeof reply === 'function' ? (reply as (url: URL) => unknown)(url) : reply

function respond(reply: unknown, url: URL): Promise<Response> {
  if (reply === PENDING) return new Promise(() => undefined)
  if (reply === FAILED) {
    const error = { code: 'internal', message: 'the disk is on fire', details: {} }
    return Promise.resolve(Response.json({ error }, { status: 500 }))
  }
  const body = bodyOf(reply, url)
  return Promise.resolve(body instanceof Response ? body : Response.json(body))
}

/** Requests so far, as path with query. */
export interface FakeService {
  readonly requests: string[]
}

export function serve(replies: Replies): FakeService {
  const requests: string[] = []
  vi.stubGlobal('fetch', (input: string | URL | Request) => {
    const url = new URL(input instanceof Request ? input.url : String(input), 'http://board.test')
    requests.push(url.pathname + url.search)
    const path = Object.keys(replies).find((end) => url.pathname.endsWith(`/${end}`))
    if (path === undefined) throw new Error(`nothing answers ${url.pathname}`)
    return respond(replies[path], url)
  })
  return { requests }
}

afterEach(() => vi.unstubAllGlobals())
