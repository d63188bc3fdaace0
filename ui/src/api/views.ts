import { getJson, sendJson } from './client'

/** A page as somebody left it. */
export interface SavedView {
  readonly id: string
  readonly name: string
  /** Path, query and hash below the service's own address. */
  readonly address: string
  readonly created_at: number
  readonly updated_at: number
}

export async function fetchViews(): Promise<readonly SavedView[]> {
  return ((await getJson('views')) as { views: readonly SavedView[] }).views
}

export async function createView(name: string, address: string): Promise<SavedView> {
  return (await sendJson('POST', 'views', { name, address })) as SavedView
}

export async function replaceView({ id }: SavedView, name: string, address: string): Promise<SavedView> {
  return (await sendJson('PUT', `views/${encodeURIComponent(id)}`, { name, address })) as SavedView
}

export async function deleteView({ id }: SavedView): Promise<void> {
  await sendJson('DELETE', `views/${encodeURIComponent(id)}`)
}
