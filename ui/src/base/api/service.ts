import type { Changes, ServiceInfo } from '@rest'
import { getJson, sendJson, urlPathPrefix } from './client'

export type { Changes }
export type Service = ServiceInfo
export type Loading = Service['loading']

export async function fetchService(signal?: AbortSignal): Promise<Service> {
  return getJson('service', {}, signal)
}

export async function fetchChanges(since: number, signal?: AbortSignal): Promise<Changes> {
  return getJson('changes', { since }, signal)
}

/** Makes the browser forget the token. */
export async function signOut(): Promise<void> {
  await sendJson('post', 'sign-out', {})
}

/** Whether the token is right; it becomes a cookie and never stands in an address. */
export async function signIn(token: string): Promise<boolean> {
  const answer = await fetch(`${urlPathPrefix}/`, {
    method: 'POST',
    credentials: 'same-origin',
    redirect: 'manual',
    body: new URLSearchParams({ token }),
  })
  return answer.type === 'opaqueredirect'
}
