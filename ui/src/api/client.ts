/** Requests to the service: where it lives, how it fails. */

/** The prefix under which the service (page and API) is mounted, without a slash at its end. */
export const urlPathPrefix: string = (document.querySelector<HTMLMetaElement>('meta[name="url-path-prefix"]')?.content ?? '').replace(/\/+$/, '')

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

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

export type Parameter = string | number | readonly string[] | undefined
export type Parameters = Readonly<Record<string, Parameter>>

function queryOf(parameters: Parameters): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? (value as readonly string[]) : [String(value)]) query.append(name, item)
  }
  const text = query.toString()
  return text && `?${text}`
}

export const apiUrl = (path: string, parameters: Parameters = {}): string => `${apiRoot}/${path}${queryOf(parameters)}`

/** Addresses above this length go as POST where the service takes both; servers and proxies cut at 4 to 8 KB. */
const LONGEST_URL = 3000

export async function getJson(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<unknown> {
  return answerOf(await send(apiUrl(path, parameters), { signal: signal ?? null }))
}

/** As `getJson`, for calls that also take their parameters as a body. */
export async function askJson(path: string, parameters: Parameters, signal?: AbortSignal): Promise<unknown> {
  const response = await ask(path, parameters, signal)
  return answerOf(response)
}

/** Ask for something to be done. */
export async function sendJson(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body: Readonly<Record<string, unknown>> | null = null, signal?: AbortSignal): Promise<unknown> {
  const content = body ? { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) } : {}
  return answerOf(await send(apiUrl(path), { method, ...content, signal: signal ?? null }))
}

/** As `sendJson`, for answers in binary. */
export async function sendForBytes(path: string, body: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<ArrayBuffer> {
  const response = await send(apiUrl(path), { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body), signal: signal ?? null })
  if (!response.ok) await answerOf(response)
  return response.arrayBuffer()
}

/** The bytes of an answer, to be saved as a file. */
export async function askBlob(path: string, parameters: Parameters): Promise<Blob> {
  const response = await ask(path, parameters)
  if (!response.ok) await answerOf(response)
  return response.blob()
}

/** The file at an address that an answer has given. */
export async function fetchFile(url: string, signal?: AbortSignal): Promise<Blob> {
  const response = await send(url, { signal: signal ?? null })
  if (!response.ok) await answerOf(response)
  return response.blob()
}

function ask(path: string, parameters: Parameters, signal?: AbortSignal): Promise<Response> {
  const url = apiUrl(path, parameters)
  if (url.length <= LONGEST_URL) return send(url, { signal: signal ?? null })
  const body = JSON.stringify(parameters)
  return send(apiUrl(path), { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, signal: signal ?? null })
}

async function send(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { credentials: 'same-origin', ...options })
  } catch (error) {
    if (isAbort(error)) throw error
    throw new ApiError(String(error), 0, 'unreachable')
  }
}

async function answerOf(response: Response): Promise<unknown> {
  let body: unknown
  try {
    body = await response.json()
  } catch (error) {
    if (isAbort(error)) throw error
    throw new ApiError(`${response.status} ${response.statusText}`, response.status, 'unreadable')
  }
  if (response.ok) return body
  const { error } = body as { error?: { code?: string; message?: string; details?: Record<string, unknown> } }
  throw new ApiError(error?.message ?? response.statusText, response.status, error?.code ?? 'unreadable', error?.details)
}
