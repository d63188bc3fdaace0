/** Operators of an input pipeline in the order that data leaves them, from its end to its sources. */

export interface PipelineOperator {
  readonly number: number
  readonly type: string
  readonly workers: number
  readonly capacity: number | null
  readonly mean_size: number | null
  readonly usage: number | null
  readonly incoming_usage: number | null
  readonly empty: number | null
  readonly full: number | null
  readonly parent: number | null
  readonly children: readonly number[]
  readonly cost: number | null
  /** Why it is slow; null where it is not. */
  readonly rule: string | null
}

export interface Leaf {
  readonly operator: PipelineOperator
  readonly depth: number
}

/** Each operator once, however its parents and children are written. */
export function treeOf(operators: readonly PipelineOperator[]): readonly Leaf[] {
  const left = new Map(operators.map((operator) => [operator.number, operator]))
  const found: Leaf[] = []
  const visit = (number: number, depth: number): void => {
    const operator = left.get(number)
    if (!operator) return
    left.delete(number)
    found.push({ operator, depth })
    for (const child of operator.children) visit(child, depth + 1)
  }
  for (const { number, parent } of operators) if (parent === null) visit(number, 0)
  for (const { number } of operators) visit(number, 0)
  return found
}
