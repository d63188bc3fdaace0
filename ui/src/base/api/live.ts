/**
 * The service's news: asks about once a second what has changed, while somebody looks.
 *
 * While data goes on arriving, every few seconds: what it brings costs more than the question.
 */

import { computed, onScopeDispose, readonly, ref, shallowRef } from 'vue'
import { ApiError, isRebuilding, rebuildingIn } from './client'
import { fetchChanges, fetchService, type Changes, type Service } from './service'

const POLL_MS = 1000
/** After several responses in a row with changes. */
const STEADY_POLL_MS = 2500
const STEADY_AFTER = 3
/** Between two requests for what is being rebuilt. */
const REBUILD_MS = 2000
const SLOWEST_POLL_MS = 15_000
/** The service's description is asked for anew this often when nothing happens. */
const SERVICE_MS = 20_000

export type LiveState = 'connecting' | 'live' | 'paused' | 'lost'

const state = ref<'connecting' | 'live' | 'lost'>('connecting')
const isPaused = ref(false)
const serviceData = shallowRef<Service | null>(null)
const lastChange = ref<number | null>(null)
const now = ref(Date.now() / 1000)
const tokenNeeded = ref(false)
const annotations = ref(0)

export interface News extends Changes {
  /** All runs of these changes have changed before, while the page is open: no list of runs looks different. */
  readonly isSteady: boolean
}

type Listener = (news: News) => void
const listeners = new Set<Listener>()
const changedBefore = new Set<string>()

let cursor: number | null = null
let failures = 0
/** Responses in a row that had changes. */
let changesInRow = 0
let timer: ReturnType<typeof setTimeout> | undefined
let rebuildTimer: ReturnType<typeof setTimeout> | undefined
let serviceAskedAt = -Infinity
let isAsking = false

export const live = {
  state: computed<LiveState>(() => (isPaused.value ? 'paused' : state.value)),
  isPaused: readonly(isPaused),
  /** Seconds since 1970 when data last changed; null before the first answer. */
  lastChange: readonly(lastChange),
  /** Seconds since 1970, ticking every second. */
  now: readonly(now),
  service: serviceData,
  tokenNeeded: readonly(tokenNeeded),
  /** The visitor's token is for reading: nothing can be edited. */
  isReadOnly: computed(() => serviceData.value?.access === 'read'),
  /** Grows when somebody changes notes, labels or saved views. */
  annotations: readonly(annotations),
}

export function togglePause(): void {
  isPaused.value = !isPaused.value
  if (!isPaused.value) void poll()
}

/** Calls `listener` with every change until the current scope ends. */
export function onChanges(listener: Listener): void {
  listeners.add(listener)
  onScopeDispose(() => listeners.delete(listener))
}

/** A request was refused, for want of a token or because what it asks for is being rebuilt: that is asked for again soon. */
export function noteRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) return
  if (error.status === 401) tokenNeeded.value = true
  if (isRebuilding(error)) askAgainSoon()
}

/** The runs that the answers to a load lack, as they are being rebuilt: they are asked for again soon. */
export function notePartial(signal: AbortSignal): readonly string[] {
  const runs = rebuildingIn(signal)
  if (runs.length > 0) askAgainSoon()
  return runs
}

function askAgainSoon(): void {
  rebuildTimer ??= setTimeout(() => {
    rebuildTimer = undefined
    announce({ cursor: cursor ?? 0, runs: [], removed: [], annotations: annotations.value })
  }, REBUILD_MS)
}

/** Something has failed to load: whether the service is there is found out now. */
export function checkConnection(): void {
  state.value = 'lost'
  void poll()
}

export function startLive(): void {
  setInterval(() => (now.value = Date.now() / 1000), 1000)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void poll()
  })
  void poll()
}

async function poll(): Promise<void> {
  if (isAsking) return
  clearTimeout(timer)
  if (document.visibilityState === 'hidden' || (isPaused.value && cursor !== null)) return
  isAsking = true
  try {
    await askService()
    await askChanges()
    failures = 0
    state.value = 'live'
  } catch (error) {
    noteRefusal(error)
    const isThere = isRebuilding(error)
    failures = isThere ? 0 : failures + 1
    // A service that asks for a token is there; the page asks for it.
    state.value = tokenNeeded.value ? 'connecting' : isThere ? 'live' : 'lost'
  } finally {
    isAsking = false
    const interval = changesInRow >= STEADY_AFTER ? STEADY_POLL_MS : POLL_MS
    timer = setTimeout(() => void poll(), Math.min(interval * 2 ** failures, SLOWEST_POLL_MS))
  }
}

async function askService(): Promise<void> {
  const isLoading = serviceData.value?.loading.state !== 'idle'
  if (!isLoading && performance.now() - serviceAskedAt < SERVICE_MS) return
  const service = await fetchService()
  serviceAskedAt = performance.now()
  // A service started anew counts from its own beginning.
  if (serviceData.value && serviceData.value.started_at !== service.started_at) cursor = null
  serviceData.value = service
}

async function askChanges(): Promise<void> {
  if (cursor === null) {
    const isFirst = lastChange.value === null
    const changes = await fetchChanges(0)
    cursor = changes.cursor
    annotations.value = changes.annotations
    lastChange.value = Date.now() / 1000
    if (isFirst) return
    // Nobody knows what was missed, so everything counts as changed.
    announce({ ...changes, runs: [], removed: [] })
    return
  }
  const changes = await fetchChanges(cursor)
  const isRestarted = changes.cursor < cursor
  cursor = changes.cursor
  annotations.value = changes.annotations
  if (!isRestarted && changes.runs.length === 0 && changes.removed.length === 0) {
    changesInRow = 0
    return
  }
  changesInRow++
  lastChange.value = Date.now() / 1000
  announce(isRestarted ? { ...changes, runs: [], removed: [] } : changes)
}

/** Empty lists mean "anything may have changed". */
function announce(changes: Changes): void {
  const isSteady =
    changes.runs.length > 0 &&
    changes.removed.length === 0 &&
    changes.runs.every((run) => changedBefore.has(run))
  for (const run of changes.runs) changedBefore.add(run)
  for (const run of changes.removed) changedBefore.delete(run)
  // How many runs there are is part of the service's description.
  if (!isSteady) serviceAskedAt = -Infinity
  for (const listener of [...listeners]) listener({ ...changes, isSteady })
}
