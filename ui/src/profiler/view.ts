/** What the page of a run's profiles shows, as a value and as the query of an address. */

import { readAddress, writeAddress, type AddressParts } from '@/state/address'

/** What a tab shows of its own, under names that only it knows. */
export type Options = Readonly<Record<string, string>>

export interface ProfileView {
  /** Null: the first one. */
  readonly profile: string | null
  readonly tab: string
  readonly options: Options
}

export const FIRST_TAB = 'overview'

export function readProfileView(query: string, hash = ''): ProfileView {
  const { profile = null, tab = FIRST_TAB, ...options } = Object.fromEntries(readAddress(query, hash))
  return { profile, tab, options }
}

export function writeProfileView({ profile, tab, options }: ProfileView): AddressParts {
  const query = new URLSearchParams()
  if (profile !== null) query.append('profile', profile)
  if (tab !== FIRST_TAB) query.append('tab', tab)
  for (const [name, value] of Object.entries(options)) query.append(name, value)
  return writeAddress(query)
}

/** Options with others in their place; null takes one away, so that defaults stay out of the address. */
export function withOptions(options: Options, patch: Readonly<Record<string, string | null>>): Options {
  return Object.fromEntries(Object.entries({ ...options, ...patch }).filter((entry): entry is [string, string] => entry[1] !== null))
}
