import type { SavedView } from '@rest'
import { deleteJson, getJson, sendJson } from '@/base/api/client'

export type { SavedView }

export async function fetchViews(): Promise<readonly SavedView[]> {
  return (await getJson('views')).views
}

export async function createView(name: string, address: string): Promise<SavedView> {
  return sendJson('post', 'views', { name, address })
}

/** Changes a view as it was seen; refused when somebody else has changed it since. */
export async function changeView(
  { id, version }: SavedView,
  change: { readonly name?: string; readonly address?: string },
): Promise<SavedView> {
  return sendJson('put', ['views/{view}', id], { ...change, version })
}

export async function deleteView({ id, version }: SavedView): Promise<void> {
  await deleteJson(['views/{view}', id], { version })
}
