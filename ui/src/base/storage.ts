import { ref, watch, type Ref } from 'vue'

/** A value that survives in this browser under `key`; `isValid` guards against what older versions left. */
export function remembered<T>(key: string, initial: T, isValid: (value: unknown) => value is T): Ref<T> {
  const stored = ref(read(key, initial, isValid)) as Ref<T>
  watch(stored, (value) => localStorage.setItem(key, JSON.stringify(value)), { deep: true })
  return stored
}

function read<T>(key: string, initial: T, isValid: (value: unknown) => value is T): T {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return isValid(value) ? value : initial
  } catch {
    return initial
  }
}

export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
export const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
export const isNumber = (value: unknown): value is number => Number.isFinite(value)
