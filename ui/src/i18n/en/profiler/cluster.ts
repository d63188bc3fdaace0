/** Words of the cluster tab: many ranks beside each other. */

import { plural } from '../grammar/plural'

export const cluster = {
  findings: (ranks: number) => plural(ranks, 'rank', 'ranks'),
  fine: 'No stragglers found.',
  fineLinks: 'No slow links found.',
  unknown: 'Cannot detect stragglers: the profiles share no steps and no collective operations.',
  told: 'Interval, forward and backward, and tail are averages that MindSpore computed over the whole training.',
  straggler: (rank: string, share: string, late: string) =>
    `Rank ${rank} is a straggler: late in ${share} of the steps, by ${late} on average.`,
  stragglerWithoutSteps: (rank: string, share: string, late: string) =>
    `Rank ${rank} is a straggler: late to ${share} of the collective operations, by ${late} on average over all of them.`,
  slowRank: (rank: string, share: string, late: string) =>
    `Rank ${rank} is slow: slower in ${share} of the steps, on average ${late} behind the fastest rank.`,
  interval: (rank: string, time: string, above: string, mean: string) =>
    `Rank ${rank} has the longest step interval: ${time}, ${above} above the mean of ${mean}.`,
  intervalFine: (rank: string, time: string, above: string) =>
    `Longest step interval: rank ${rank} with ${time}, ${above} above the mean.`,
  slowLinks: (count: number, which: string) =>
    `${plural(count, 'link', 'links')} below 80 % of the mean bandwidth: ${which}`,
  byCollectives: (count: string) =>
    `based on ${count} collective operations; clocks are aligned at their end times`,
  bySteps: 'based on step durations: the profiles have no collective operations',
  cause: 'Where it spends more time',
  here: 'this rank',
  usual: 'median of other ranks',
  ranks: 'Ranks: averages over complete steps',
  openRank: 'Open the profile of this rank',
  columns: {
    rank: 'Rank',
    run: 'Run',
    stage: 'Stage',
    duration: 'Step',
    compute: 'Compute',
    communication: 'Exposed comm.',
    overlapped: 'Overlapped comm.',
    copy: 'Copies',
    launch: 'Launches',
    input_wait: 'Input wait',
    host_operators: 'Host ops',
    python: 'Python',
    other: 'Idle',
    interval: 'Interval',
    forward_backward: 'Fwd + bwd',
    tail: 'Tail',
    late: 'Avg. delay',
    wait: 'Waiting',
    votes: 'Times late',
    slowest_steps: 'Times slowest',
  } as Readonly<Record<string, string>>,
  csv: 'Download ranks (CSV)',
  heat: 'Ranks by step',
  measure: 'Metric',
  step: (number: string) => `step ${number}`,
  rank: (rank: string) => `Rank ${rank}`,
  slowest: 'slowest in this step',
  downsampled: (visible: string, all: string) => `${visible} of ${all} steps`,
  heatHelp: 'Arrow keys move, Enter opens that step of that rank.',
  missing: (ranks: string, why: string) => `Excluded, profile unreadable: rank ${ranks} (${why})`,
  linkColumns: {
    source: 'From',
    target: 'To',
    rank: 'Recorded by rank',
    gigabytes_per_second: 'GB/s',
    megabytes: 'MB',
    milliseconds: 'Time',
    is_slow: 'Below 80 %',
  } as Readonly<Record<string, string>>,
  someLinks: (visible: string, all: string) =>
    `${visible} of ${all} links: slow links and those with the most traffic`,
  links: 'Bandwidth between ranks, GB/s',
  linkKind: 'Link type',
  linkTo: 'to',
  linkFrom: 'from',
  noTraffic: 'no traffic',
  link: (from: string, to: string, speed: string, size: string, time: string) =>
    `${from} → ${to}: ${speed} GB/s, ${size} MB in ${time}`,
  slow: 'below 80 % of the mean',
  meanSpeed: (speed: string) => `mean ${speed} GB/s`,
  recordedBy: (rank: string) => `recorded by rank ${rank}`,
  stages: 'Pipeline stages',
  stage: (stage: string) => `Stage ${stage}`,
}
