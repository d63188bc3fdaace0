/** Views as tables of fields: each says how one choice is written in an address; reader, writer and type come from the table. */

import {
  readAddress,
  readChoice,
  readList,
  readMap,
  writeAddress,
  writeChoice,
  writeList,
  type AddressParts,
} from './address'

/** A choice and its parameter. Defaults stay out of the address; text that cannot be parsed is read as the default. */
export interface Field<T> {
  readonly default: T
  read(params: URLSearchParams): T
  write(params: URLSearchParams, value: T): void
}

type Table = Readonly<Record<string, Field<unknown>>>
type Values<F extends Table> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never }

/** Some choices of a view: a table of fields, or by hand where choices depend on each other. */
export interface ViewPart<V> {
  readonly defaults: V
  read(params: URLSearchParams): V
  write(params: URLSearchParams, view: V): void
}

export interface View<V> {
  readonly defaults: V
  read(query: string, hash?: string): V
  write(view: V): AddressParts
}

export type ViewOf<P> = P extends { readonly defaults: infer V } ? V : never

type Joined<P extends readonly unknown[]> = P extends readonly [infer First, ...infer Rest]
  ? ViewOf<First> & Joined<Rest>
  : unknown

export function fields<F extends Table>(table: F): ViewPart<Values<F>> {
  const mapped = (value: (field: Field<unknown>) => unknown): Values<F> =>
    Object.fromEntries(Object.entries(table).map(([name, field]) => [name, value(field)])) as Values<F>
  return {
    defaults: mapped((field) => field.default),
    read: (params) => mapped((field) => field.read(params)),
    write(params, view) {
      for (const [name, field] of Object.entries(table)) field.write(params, view[name])
    },
  }
}

/** The view with the choices of all parts, written in their order. */
export function defineView<P extends readonly ViewPart<object>[]>(...parts: P): View<Joined<P>> {
  const all = parts as unknown as readonly ViewPart<Joined<P>>[]
  const joined = (values: readonly Joined<P>[]): Joined<P> => Object.assign({}, ...values) as Joined<P>
  return {
    defaults: joined(all.map((part) => part.defaults)),
    read(query, hash) {
      const params = readAddress(query, hash)
      return joined(all.map((part) => part.read(params)))
    },
    write(view) {
      const params = new URLSearchParams()
      for (const part of all) part.write(params, view)
      return writeAddress(params)
    },
  }
}

/** A value in a notation of its own; `parse` returns null for text it does not understand. */
export function parsed<T>(
  key: string,
  fallback: T,
  parse: (text: string) => T | null,
  format: (value: NonNullable<T>) => string = String,
): Field<T> {
  const textOf = (value: T): string | null => (value === null ? null : format(value as NonNullable<T>))
  return {
    default: fallback,
    read(params) {
      const text = params.get(key)
      return (text === null ? null : parse(text)) ?? fallback
    },
    write(params, value) {
      const text = textOf(value)
      if (text !== null && text !== textOf(fallback)) params.append(key, text)
    },
  }
}

export const text = (key: string, fallback = ''): Field<string> => parsed(key, fallback, (value) => value)
export const optionalText = (key: string): Field<string | null> =>
  parsed<string | null>(key, null, (value) => value)

/** False, or true where the address says `key=value`. */
export const flag = (key: string, value = '1'): Field<boolean> =>
  parsed(
    key,
    false,
    (text) => text === value,
    (isOn) => (isOn ? value : ''),
  )

/** True, or false where the address says `key=value`. */
export const flagOff = (key: string, value = '0'): Field<boolean> =>
  parsed(
    key,
    true,
    (text) => text !== value,
    (isOn) => (isOn ? '' : value),
  )

/** One of `values`; the first is the default. */
export const oneOf = <const T extends string>(key: string, values: readonly [T, ...T[]]): Field<T> =>
  parsed<T>(key, values[0], (text) => values.find((value) => value === text) ?? null)

export const number = (
  key: string,
  fallback: number,
  isValid: (value: number) => boolean,
  format?: (value: number) => string,
): Field<number> => parsed(key, fallback, (text) => (isValid(Number(text)) ? Number(text) : null), format)

const parseInteger = (text: string): number | null => (/^-?\d+$/.test(text) ? Number(text) : null)
export const optionalInteger = (key: string): Field<number | null> =>
  parsed<number | null>(key, null, parseInteger)

/** Text, each time under the same key. */
export const list = (key: string): Field<readonly string[]> => ({
  default: [],
  read: (params) => readList(params, key),
  write: (params, values) => writeList(params, key, values),
})

/** As a list, but "none of them" differs from null, "nothing selected yet". */
export const selection = (key: string): Field<readonly string[] | null> => ({
  default: null,
  read: (params) => readChoice(params, key),
  write: (params, values) => writeChoice(params, key, values),
})

/** Values by card, each written as `value@card`. */
export const byCard = <T>(
  key: string,
  parse: (text: string) => T | null,
  format: (value: T) => string = String,
): Field<ReadonlyMap<string, T>> => ({
  default: new Map(),
  read: (params) => readMap(readList(params, key), parse),
  write(params, values) {
    for (const [card, value] of values) params.append(key, `${format(value)}@${card}`)
  },
})
