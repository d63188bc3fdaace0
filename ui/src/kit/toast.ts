/** A short message at the foot of the page that goes by itself. */

import { readonly, shallowRef } from 'vue'

const SHOWN_MS = 4000

export interface Toast {
  readonly text: string
  /** To be copied by hand. */
  readonly copy?: string
}

const current = shallowRef<Toast | null>(null)
let timer: ReturnType<typeof setTimeout> | undefined

export const toast = readonly(current)

/** A message with something to copy stays until it is closed. */
export function showToast(message: Toast): void {
  clearTimeout(timer)
  current.value = message
  if (message.copy === undefined) timer = setTimeout(closeToast, SHOWN_MS)
}

export function closeToast(): void {
  clearTimeout(timer)
  current.value = null
}
