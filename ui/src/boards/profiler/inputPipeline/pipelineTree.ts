/** Operators of an input pipeline in the order that data leaves them, from its end to its sources. */

import type { PipelineOperatorRow } from '@rest'

export type PipelineOperator = PipelineOperatorRow

export interface Leaf {
  readonly operator: PipelineOperator
  readonly depth: number
}

/** Each operator once, however its parents and children are written. */
export function treeOf(operators: readonly PipelineOperator[]): readonly Leaf[] {
  const left = new Map(operators.map((operator) => [operator.number, operator]))
  const leaves: Leaf[] = []
  const visit = (number: number, depth: number): void => {
    const operator = left.get(number)
    if (!operator) return
    left.delete(number)
    leaves.push({ operator, depth })
    for (const child of operator.children) visit(child, depth + 1)
  }
  for (const { number, parent } of operators) if (parent === null) visit(number, 0)
  for (const { number } of operators) visit(number, 0)
  return leaves
}
