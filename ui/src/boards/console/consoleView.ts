/** What the console of a run shows. */

import { defineView, fields, oneOf, optionalInteger, parsed, text, type ViewOf } from '@/base/url/view'

export const LEVELS = ['any', 'debug', 'info', 'warning', 'error'] as const
export type Level = (typeof LEVELS)[number]

export const consoleView = defineView(
  fields({
    level: oneOf('level', LEVELS),
    find: text('find'),
    /** The line that is marked, counted from 0. */
    line: optionalInteger('line'),
    /** A moment, in seconds since 1970, whose lines are looked for. */
    at: parsed<number | null>('at', null, (value) =>
      value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : null,
    ),
  }),
)

export type ConsoleView = ViewOf<typeof consoleView>
