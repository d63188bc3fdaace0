/** The views that the team has saved; followed live once somebody has asked for them. */

import { readonly, ref, shallowRef, watch } from 'vue'
import { urlPathPrefix } from '@/base/api/client'
import { live, noteRefusal } from '@/base/api/live'
import { changeView, createView, deleteView, fetchViews, type SavedView } from './api'

const views = shallowRef<readonly SavedView[] | null>(null)
const error = shallowRef<unknown>(null)
/** The view that was saved or opened last: what "update" is about. */
const latest = ref<string | null>(null)
/** Names that are typed but not saved; they outlast the list, which closes when somebody clicks elsewhere. */
const unsaved = { name: ref(''), renaming: ref<SavedView | null>(null), newName: ref('') }

export const savedViews = {
  /** The one that changed last first; null before they are known. */
  views,
  error: readonly(error),
  latest,
  unsaved,
}

let isWanted = false
let newest: Promise<void> = Promise.resolve()

/** Done when the newest list is here, whoever has asked for it. */
export async function loadViews(): Promise<void> {
  isWanted = true
  newest = load()
  for (let previous: Promise<void> | null = null; previous !== newest;) await (previous = newest)
}

let newestLoad = 0
async function load(): Promise<void> {
  const mine = ++newestLoad
  try {
    const list = await fetchViews()
    if (mine !== newestLoad) return
    views.value = list
    error.value = null
  } catch (problem) {
    noteRefusal(problem)
    if (mine === newestLoad) error.value = problem
  }
}
watch(live.annotations, () => void (isWanted && loadViews()))

/** Saves under a new name, or in the place of `old`. */
export async function saveView(name: string, address: string, old: SavedView | null): Promise<void> {
  const saved = await (old ? changeView(old, { address }) : createView(name, address))
  latest.value = saved.id
  await loadViews()
}

export async function renameView(view: SavedView, name: string): Promise<void> {
  await changeView(view, { name })
  await loadViews()
}

export async function forgetView(view: SavedView): Promise<void> {
  await deleteView(view)
  await loadViews()
}

/** Where a view is found under whatever address it has by then. */
export const viewPath = ({ id }: SavedView): string => `/views/${encodeURIComponent(id)}`

/** What to send to others. */
export const viewLink = (view: SavedView): string => `${location.origin}${urlPathPrefix}${viewPath(view)}`

/** The address of a page without what belongs to the reader, not to the view. */
export function sharedAddress(fullPath: string): string {
  const [, path = '', query = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/.exec(fullPath) ?? []
  const parts = query
    .split('&')
    .filter((part) => part !== '' && !/^(lang|token)=/.test(part))
    .join('&')
  return `${path}${parts && `?${parts}`}${hash}`
}
