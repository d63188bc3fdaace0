/** Words of the memory of a profile. */

export const memory = {
  of: (device: string) => `Memory of ${device}`,
  device: 'Device',
  allocated: 'Allocated',
  reserved: 'Reserved',
  time: 'Time (ms)',
  peak: 'Peak',
  peakAt: (time: string) => `at ${time}`,
  inStep: (step: string) => `in step ${step}`,
  reservedPeak: 'Peak reserved',
  limit: 'Device capacity',
  last: 'At the end',
  toTimeline: 'Show in timeline',
  alive: 'Live at peak',
  inRange: (from: string, to: string) => `Allocated from ${from} to ${to}`,
  backToPeak: 'Back to peak',
  unknown: (size: string) => `plus ${size} allocated before the profile started`,
  by: 'Group by',
  owner: 'Owner',
  block: 'Allocation',
  columns: {
    owner: 'Owner',
    module: 'Module',
    bytes: 'Size',
    count: 'Count',
    kept: 'Not freed',
    age: 'Max. age',
    start: 'Allocated at',
    lifetime: 'Lifetime',
    step: 'Step',
  } as Readonly<Record<string, string>>,
  before: '(allocated before the profile started)',
  table: 'Memory owners',
  none: 'No allocations here',
  onlyTotals: 'Only totals in this profile',
  onlyTotalsWhy:
    'To record owners, use torch.profiler.profile(profile_memory=True), Paddle with profile_memory=True, ' +
    'or Ascend operator_memory files.',
  growing: (mean: string, steps: string) =>
    `Possible leak: each step allocates ${mean} that is still live two steps later (${steps} steps analysed). Main owners:`,
  planned: 'MindSpore memory plan',
}
