import { t } from '@/i18n'
import { ApiError } from './client'

/** Why a request failed, in the reader's language where we know, else as the service puts it. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error)
  switch (error.code) {
    case 'unreachable':
      return t.value.unreachable
    case 'unreadable':
      return `${t.value.unreadable} (${error.message})`
    case 'run_not_found':
      return t.value.runGone
    case 'rebuilding':
      return t.value.rebuilding
    case 'read_only':
      return t.value.readOnlyHint
    default:
      return error.message
  }
}
