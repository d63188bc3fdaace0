/** The commands that open pages; in a run, a board's command and keys open the board of that run. */

import type { Router } from 'vue-router'
import type { Command } from '@/base/commands'
import { offeredBoards, offeredOverviews } from '@/board/offeredBoards'
import { BOARDS } from '@/board/registry'
import type { Run } from '@/board/runs/api'
import { hasAnyOf } from '@/board/runs/chosenRuns'
import { t } from '@/i18n'

/** `run` is the open one. */
export function goCommands(router: Router, run: Run | null): readonly Command[] {
  const open = (path: string) => () => void router.push(path)
  const runBoards = run ? BOARDS.filter(({ kinds }) => hasAnyOf(run, kinds)) : []
  const others = offeredBoards.value.filter((board) => !runBoards.includes(board))
  const command = (id: string, label: string, keys: string | undefined, path: string): Command => ({
    id,
    kind: 'page',
    label,
    ...(keys ? { keys } : {}),
    run: open(path),
  })
  return [
    command('runs', t.value.runs, 'g r', '/runs'),
    ...offeredOverviews.value.map(({ to, label, keys }) => command(label, t.value[label], keys, to)),
    ...(run ? [command('run', t.value.dashboard, 'g b', `/runs/${encodeURIComponent(run.id)}`)] : []),
    ...runBoards.map(({ name, label, keys }) =>
      command(`run-${name}`, t.value[label], keys, `/runs/${encodeURIComponent(run!.id)}/${name}`),
    ),
    ...others.map(({ name, label, keys }) => command(name, t.value[label], keys, `/${name}`)),
    command('service', t.value.service, undefined, '/service'),
  ]
}
