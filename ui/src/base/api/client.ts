/** Requests to the service, typed by its OpenAPI document: `make rest-reference` writes @rest. */

import type { components, paths } from '@rest'

type ErrorResponse = components['schemas']['Error']
type PartialResponse = Pick<components['schemas']['TextSeriesList'], 'rebuilding'>

/** The prefix under which the service (page and API) is mounted, without a slash at its end. */
export const urlPathPrefix: string = (
  document.querySelector<HTMLMetaElement>('meta[name="url-path-prefix"]')?.content ?? ''
).replace(/\/+$/, '')

const apiRoot = `${urlPathPrefix}/v1`

/** A request that failed; `code` is the service's, or `unreachable` and `unreadable` of our own. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
  }
}

/** Whether all that was asked for is being rebuilt. */
export const isRebuilding = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'rebuilding'

export const isAbort = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'

export type Parameter = string | number | readonly string[] | undefined
export type Parameters = Readonly<Record<string, Parameter>>

function queryOf(parameters: Parameters): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? (value as readonly string[]) : [String(value)])
      query.append(name, item)
  }
  const text = query.toString()
  return text && `?${text}`
}

export const apiUrl = (path: string, parameters: Parameters = {}): string =>
  `${apiRoot}/${path}${queryOf(parameters)}`

/** The runs that answers lack since they are being rebuilt, by the signal of the requests: each load has one of its own. */
const missingRuns = new WeakMap<AbortSignal, Set<string>>()

export const rebuildingIn = (signal: AbortSignal): readonly string[] => [...(missingRuns.get(signal) ?? [])]

/** An answer to a request with this signal lacks some runs. */
export function noteMissing(signal: AbortSignal | undefined, runs: readonly string[]): void {
  if (!signal || runs.length === 0) return
  missingRuns.set(signal, new Set([...rebuildingIn(signal), ...runs]))
}

/** Addresses above this length go by POST where the service takes both; servers and proxies cut at 4 to 8 KB. */
const LONGEST_URL = 3000

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

type Operation<M extends Method, P extends string> =
  paths[`/v1/${P}` & keyof paths] extends Readonly<
    Record<M, infer O extends { parameters: { query?: unknown } }>
  >
    ? O
    : never

type Relative<P> = P extends `/v1/${infer R}` ? R : never

/** The paths that take a method, below `/v1/`; parameters in braces. */
export type PathOf<M extends Method> = {
  [P in Relative<keyof paths>]: [Operation<M, P>] extends [never] ? never : P
}[Relative<keyof paths>]

/** The JSON of a successful response. */
export type Answer<P extends string, M extends Method = 'get'> =
  Operation<M, P> extends { responses: { 200: { content: { 'application/json': infer T } } } } ? T : unknown

/** Parameters of an address by their names. */
export type Query<P extends string, M extends Method = 'get'> = {
  readonly [K in keyof NonNullable<Operation<M, P>['parameters']['query']>]?: Parameter
}

/** The JSON body of a request; undefined fields are left out. */
export type Body<P extends string, M extends Method> =
  Operation<M, P> extends { requestBody?: infer R }
    ? NonNullable<R> extends { content: { 'application/json': infer T } }
      ? { readonly [K in keyof T]: T[K] | undefined }
      : Json
    : Json

/** A path, followed by the values of its parameters if it has some. */
export type Place<P extends string> = P | readonly [P, ...(string | number)[]]

export function addressOf(place: Place<string>): string {
  if (typeof place === 'string') return place
  const [path, ...values] = place
  let at = 0
  return path.replace(/\{\w+\}/g, () => encodeURIComponent(values[at++] ?? ''))
}

/** `P` is one of the paths, or one followed by the values of its parameters. */
export async function getJson<P extends PathOf<'get'>>(
  place: Place<P>,
  parameters?: Query<P>,
  signal?: AbortSignal,
): Promise<Answer<P>> {
  return answerOf(await send(apiUrl(addressOf(place), parameters), {}, signal), signal)
}

/** As `getJson`, for calls that also take their parameters as a body. */
export async function askJson<P extends PathOf<'get'> & PathOf<'post'>>(
  path: P,
  parameters: Query<P>,
  signal?: AbortSignal,
): Promise<Answer<P>> {
  return answerOf(await ask(path, parameters, signal), signal)
}

type Json = Readonly<Record<string, unknown>>

const withBody = (method: string, body: Json): RequestInit => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

/** Ask for something to be done. */
export async function sendJson<M extends 'post' | 'put' | 'patch', P extends PathOf<M>>(
  method: M,
  place: Place<P>,
  body: Body<P, M>,
  signal?: AbortSignal,
): Promise<Answer<P, M>> {
  return answerOf(await send(apiUrl(addressOf(place)), withBody(method.toUpperCase(), body), signal), signal)
}

export async function deleteJson<P extends PathOf<'delete'>>(
  place: Place<P>,
  parameters?: Query<P, 'delete'>,
): Promise<Answer<P, 'delete'>> {
  return answerOf(await send(apiUrl(addressOf(place), parameters), { method: 'DELETE' }))
}

/** As `sendJson`, for answers in binary. */
export async function sendForBytes<P extends PathOf<'post'>>(
  path: P,
  body: Body<P, 'post'>,
  signal?: AbortSignal,
): Promise<ArrayBuffer> {
  return (await checked(await send(apiUrl(path), withBody('POST', body), signal))).arrayBuffer()
}

/** The bytes of an answer, to be saved as a file. */
export async function askBlob<P extends PathOf<'get'> & PathOf<'post'>>(
  path: P,
  parameters: Query<P>,
): Promise<Blob> {
  return (await checked(await ask(path, parameters))).blob()
}

/** The file at an address that an answer has given. */
export async function fetchFile(url: string, signal?: AbortSignal): Promise<Blob> {
  return (await checked(await send(url, {}, signal))).blob()
}

function ask(path: string, parameters: Parameters, signal?: AbortSignal): Promise<Response> {
  const url = apiUrl(path, parameters)
  return url.length <= LONGEST_URL
    ? send(url, {}, signal)
    : send(apiUrl(path), withBody('POST', parameters), signal)
}

async function send(url: string, options: RequestInit, signal?: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { credentials: 'same-origin', ...options, signal: signal ?? null })
  } catch (error) {
    if (isAbort(error)) throw error
    throw new ApiError(String(error), 0, 'unreachable')
  }
}

async function checked(response: Response): Promise<Response> {
  if (!response.ok) await answerOf(response)
  return response
}

/** The JSON of a response; that it has the type of its path is what tests/app/test_contract.py shows. */
async function answerOf<T>(response: Response, signal?: AbortSignal): Promise<T> {
  let body: unknown
  try {
    body = await response.json()
  } catch (error) {
    if (isAbort(error)) throw error
    throw new ApiError(`${response.status} ${response.statusText}`, response.status, 'unreadable')
  }
  if (response.ok) {
    noteMissing(signal, (body as PartialResponse | null)?.rebuilding ?? [])
    return body as T
  }
  const { error } = body as Partial<ErrorResponse>
  throw new ApiError(
    error?.message ?? response.statusText,
    response.status,
    error?.code ?? 'unreadable',
    error?.details,
  )
}
