/** What the page of a run's profiles shows. */

import { defineView, fields, optionalText, text, type Field } from '@/base/url/view'

/** What a tab shows of its own, under names that only it knows. */
export type Options = Readonly<Record<string, string>>

export const FIRST_TAB = 'overview'

const options: Field<Options> = {
  default: {},
  read: (params) => Object.fromEntries([...params].filter(([key]) => key !== 'profile' && key !== 'tab')),
  write(params, values) {
    for (const [name, value] of Object.entries(values)) params.append(name, value)
  },
}

export const profileView = defineView(
  fields({
    /** Null: the first one. */
    profile: optionalText('profile'),
    tab: text('tab', FIRST_TAB),
    options,
  }),
)

/** Options with others in their place; null takes one away, so that defaults stay out of the address. */
export function withOptions(options: Options, patch: Readonly<Record<string, string | null>>): Options {
  return Object.fromEntries(
    Object.entries({ ...options, ...patch }).filter((entry): entry is [string, string] => entry[1] !== null),
  )
}
