import type { InjectionKey, ShallowRef } from 'vue'

/** The x that is read in one chart of a board and marked in all of them; null for none. */
export const CURSOR: InjectionKey<ShallowRef<number | null>> = Symbol('cursor')

/** The run that is pointed at, in a chart or beside it: its curves lie above all others. */
export const POINTED_RUN: InjectionKey<ShallowRef<string | null>> = Symbol('pointed run')
