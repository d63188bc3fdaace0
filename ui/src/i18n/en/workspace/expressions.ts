/** Words of charts that people make from expressions. */

export const expressions = {
  add: 'Add chart',
  addHint: 'A chart of an expression over scalars, such as train/loss - eval/loss',
  group: 'Your charts',
  expression: 'Expression',
  example: 'train/loss - eval/loss',
  name: 'Name',
  nameHint: 'optional',
  insert: 'Insert a tag',
  help:
    '+ - * / ( ), numbers, abs(x), log(x), ema(x, 0.9), delta(x) for the difference to the baseline. ' +
    'Put tags with other characters in quotes.',
  runs: (count: string, all: string) => `${count} of ${all} runs have these tags`,
  noBaselineTitle: 'No baseline',
  noBaseline: 'Select a baseline in the table of values, to which differences are drawn.',
  save: 'Add',
  change: 'Change',
  edit: (name: string) => `Edit ${name}`,
  remove: (name: string) => `Remove ${name}`,
  problems: {
    too_long: 'The expression is too long: at most 2,000 characters.',
    open_quote: 'A quote without its end.',
    unexpected: (text: string) => `Unexpected “${text}”.`,
    expected: (text: string) => (text === '' ? 'The expression ends too early.' : `Unexpected “${text}”.`),
    ambiguous: 'Too many / and - in a row: put tags with them in quotes.',
    too_deep: 'Nested too deeply.',
    too_many: 'Too many operators and functions: at most 100.',
    no_tag: 'The expression names no tag.',
    unknown_tag: (text: string) => `None of the runs has the tag “${text}”.`,
    unknown_function: (text: string) => `Unknown function “${text}”: there are abs, log, ema and delta.`,
    bad_weight: 'ema(x, weight): the weight is a number from 0 to below 1, such as 0.9.',
  } as Readonly<Record<string, string | ((text: string) => string)>>,
}
