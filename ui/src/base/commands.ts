/** What the command palette and the keyboard can do; pages add their own while they are open. */

import { computed, onScopeDispose, shallowRef } from 'vue'

export interface Command {
  readonly id: string
  /** `hidden` ones have only a key. */
  readonly kind: 'command' | 'page' | 'tag' | 'run' | 'view' | 'hidden'
  readonly label: string
  /** One key, pressed outside of fields. */
  readonly keys?: string
  run(): void
}

type Source = () => readonly Command[]

const sources = shallowRef<readonly Source[]>([])

export const commands = computed<readonly Command[]>(() => sources.value.flatMap((source) => source()))

/** Offers the commands of `source` until the current scope ends. */
export function useCommands(source: Source): void {
  sources.value = [...sources.value, source]
  onScopeDispose(() => (sources.value = sources.value.filter((other) => other !== source)))
}
