/** The parts that a step's time is made of: always in this order, always in these colours. */

export const PARTS = [
  'compute',
  'communication',
  'copy',
  'launch',
  'input_wait',
  'host_operators',
  'python',
  'other',
] as const
export type StepPart = (typeof PARTS)[number]

/** Of the palette of series; what nobody worked in is grey. */
export const PART_COLOURS: Readonly<Record<string, number>> = {
  compute: 0,
  communication: 1,
  copy: 5,
  launch: 7,
  input_wait: 3,
  host_operators: 2,
  python: 10,
}

export const partColour = (part: string): string =>
  part in PART_COLOURS ? `var(--series-${PART_COLOURS[part]})` : 'var(--border-strong)'
