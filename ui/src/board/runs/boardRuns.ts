/** What the cards of a board have to know of its runs, whichever of them they show. */

import type { InjectionKey, Ref } from 'vue'

export interface BoardRuns {
  readonly names: Readonly<Ref<ReadonlyMap<string, string>>>
  /** Runs whose tags are not known, since they are being rebuilt: any card may lack something of theirs. */
  readonly rebuilding: Readonly<Ref<readonly string[]>>
}

export const BOARD_RUNS: InjectionKey<BoardRuns> = Symbol('the runs of the board')
