/** What the service tells of many ranks. */

import type { ClusterRank, ClusterReport, RankLink, StragglerCause } from '@rest'

export type Cause = StragglerCause
export type Rank = ClusterRank
export type Link = RankLink
export type Cluster = ClusterReport

/** Which numbers a rank's row in the table has. */
export const rowOf = (
  {
    rank,
    run_name,
    stage,
    duration,
    parts,
    overlapped,
    interval,
    forward_backward: both,
    tail,
    slowest_steps,
    lateness,
  }: Rank,
  at: number,
): Readonly<Record<string, string | number | null>> => ({
  at,
  rank,
  run: run_name,
  stage,
  duration,
  ...parts,
  overlapped,
  interval: interval ?? null,
  forward_backward: both ?? null,
  tail: tail ?? null,
  late: lateness.late,
  wait: lateness.wait,
  votes: lateness.votes,
  slowest_steps,
})
