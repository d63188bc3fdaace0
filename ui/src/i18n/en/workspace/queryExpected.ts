/** What is wrong with a query, in words; the service names the problem and what it is about. */

export const queryExpected = {
  column: () => 'a column',
  value: () => 'a value',
  text: () => 'text',
  comparison: (of: string) => `a comparison with ${of}`,
  missing: () => 'the keyword missing',
  list: () => 'a list in square brackets such as [1, 2]',
  closing_bracket: () => 'a closing parenthesis )',
  comma_or_end: (of: string) => `a comma or ${of}`,
}
