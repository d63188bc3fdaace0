/** The runs chosen for boards of several runs; the same on every board. */

import { shallowRef } from 'vue'

export const chosenRuns = shallowRef<readonly string[] | null>(null)
