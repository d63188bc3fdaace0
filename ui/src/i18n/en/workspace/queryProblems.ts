/** What is wrong with a query, in words; the service names the problem and what it is about. */

/** What a problem is about; which of these it has depends on the problem. */
export interface About {
  readonly text: string
  readonly name: string
  readonly most: string
  readonly near: readonly string[]
  readonly columns: readonly string[]
  /** What should stand there, in words. */
  readonly expected: string
}

export const queryProblems = {
  too_long: ({ most }: About) => `The query is longer than ${most} characters`,
  never_closed: ({ text }: About) => `Missing closing ${text}`,
  meaningless: ({ text }: About) => `Invalid token '${text}'`,
  unexpected: ({ text }: About) => `Unexpected '${text}'`,
  too_many_levels: ({ most }: About) => `More than ${most} levels of nesting`,
  ends_early: ({ expected }: About) => `Incomplete query: expected ${expected}`,
  other_expected: ({ expected, text }: About) => `Expected ${expected}, found '${text}'`,
  without_order: () => 'Booleans can only be compared with = and !=',
  ambiguous_column: ({ name, columns }: About) => `Ambiguous column '${name}': ${columns.join(' or ')}`,
  unknown_column: ({ name, near }: About) =>
    `Unknown column '${name}'${near.length > 0 ? `. Did you mean ${near.join(', ')}?` : ''}`,
}
