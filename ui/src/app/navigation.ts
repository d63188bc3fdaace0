/** The entries of the rail in their groups: the boards of the open run, and those of several runs. */

import { computed, type ComputedRef } from 'vue'
import { useRoute, type RouteLocation } from 'vue-router'
import { live } from '@/base/api/live'
import { readAddress } from '@/base/url/address'
import { offeredBoards, offeredOverviews } from '@/board/offeredBoards'
import { BOARDS, GROUPS, type Board, type Group, type Label } from '@/board/registry'
import type { Run } from '@/board/runs/api'
import { hasAnyOf } from '@/board/runs/chosenRuns'
import { runName } from '@/board/runs/runName'
import type { IconName } from '@/kit/icons'

export interface Entry {
  readonly to: string
  readonly icon: IconName
  readonly label: Label
  readonly testId: string
  readonly isRare?: boolean
  /** How many there are. */
  readonly count?: number | undefined
  /** The run it belongs to, for those who hear it. */
  readonly of?: string
}

export interface EntryGroup {
  readonly name: Group
  readonly label: Label
  readonly icon: IconName
  readonly entries: readonly Entry[]
}

export interface Navigation {
  /** Of the open run; empty without one. */
  readonly ofRun: ComputedRef<readonly EntryGroup[]>
  readonly ofSeveral: ComputedRef<readonly EntryGroup[]>
}

const RUNS: Entry = { to: '/runs', icon: 'runs', label: 'runs', testId: 'nav-runs' }

export const runsEntry = computed<Entry>(() => ({
  ...RUNS,
  count: live.service.value?.loading.state === 'idle' ? live.service.value.loading.runs_total : undefined,
}))

function setOf(address: string): string {
  const [, query = '', hash = ''] = /^[^?#]*\??([^#]*)#?(.*)$/.exec(address)!
  return readAddress(query, hash).get('set') ?? ''
}

/** Whether an entry leads to where one is: of the runs table, to the column set that is shown. */
export const isOpenAt = (to: string, { path, fullPath }: Pick<RouteLocation, 'path' | 'fullPath'>): boolean =>
  to.replace(/[?#].*/, '') === path && setOf(to) === setOf(fullPath)

/** What the runs table is called with the column set that it shows. */
export const labelOfRuns = (route: Pick<RouteLocation, 'path' | 'fullPath'>): Label =>
  offeredOverviews.value.find(({ to }) => isOpenAt(to, route))?.label ?? 'runs'

/** `run` is null until the run with `runId` is known. */
export function useNavigation(runId: () => string | null, run: () => Run | null): Navigation {
  const route = useRoute()
  const runPath = computed(() => `/runs/${encodeURIComponent(runId() ?? '')}`)

  function isInRun({ name, kinds }: Board): boolean {
    const open = run()
    // Until the run is known, the board that is open.
    if (route.path === `${runPath.value}/${name}`) return true
    return open !== null && hasAnyOf(open, kinds)
  }

  function entryInRun({ name, icon, label, kinds, isRare = false }: Board): Entry {
    const open = run()
    const count = open ? kinds.reduce((sum, kind) => sum + (open.counts[kind] ?? 0), 0) : 0
    return {
      to: `${runPath.value}/${name}`,
      icon,
      label,
      isRare,
      testId: `nav-run-${label}`,
      of: open ? runName(open) : '',
      count: count > 1 ? count : undefined,
    }
  }

  const dashboard = (): Entry => {
    const open = run()
    return {
      to: runPath.value,
      icon: 'dashboard',
      label: 'dashboard',
      testId: 'nav-run-dashboard',
      of: open ? runName(open) : '',
    }
  }

  const ofRun = computed(() =>
    runId() === null
      ? []
      : grouped((group) => [
          ...(group === 'results' ? [dashboard()] : []),
          ...BOARDS.filter((board) => board.group === group && isInRun(board)).map(entryInRun),
        ]),
  )

  const ofSeveral = computed(() =>
    grouped((group) => {
      const boards = BOARDS.filter(
        (board) =>
          board.group === group && (offeredBoards.value.includes(board) || route.path === `/${board.name}`),
      ).map(entryOfSeveral)
      if (group !== 'results') return boards
      const [first, ...others] = boards
      return [
        ...(runId() === null ? [runsEntry.value] : []),
        ...(first ? [first] : []),
        ...offeredOverviews.value.map(({ to, icon, label }): Entry => ({
          to,
          icon,
          label,
          testId: `nav-${label}`,
        })),
        ...others,
      ]
    }),
  )
  return { ofRun, ofSeveral }
}

const entryOfSeveral = ({ name, icon, label, isRare = false }: Board): Entry => ({
  to: `/${name}`,
  icon,
  label,
  isRare,
  testId: `nav-${label}`,
})

function grouped(entriesOf: (group: Group) => readonly Entry[]): readonly EntryGroup[] {
  return GROUPS.map(({ name, label, icon }) => ({ name, label, icon, entries: entriesOf(name) })).filter(
    ({ entries }) => entries.length > 0,
  )
}
