/** Numbers of responses: JSON has none that are not finite, so these come as strings. */

export type JsonNumber = number | string | null

export const numberOf = (value: JsonNumber): number => (value === null ? NaN : Number(value))

export const columnOf = (values: readonly JsonNumber[] | null | undefined): Float64Array =>
  Float64Array.from(values ?? [], Number)
