"""Self times of the slices of a thread within given intervals."""

from __future__ import annotations

import numpy as np

from mindinsight_like.profiler.analysis.columns.columns import Columns
from mindinsight_like.profiler.analysis.columns.intervals import Union
from mindinsight_like.profiler.analysis.timeline.timeline import lanes_in
from mindinsight_like.profiler.traces.trace import NOTHING, Longs


def own_times(columns: Columns, track: int, stretches: Union) -> tuple[Longs, Longs]:
    """Rows of a track that touch the stretches, ascending, and how much of their self time lies in them."""
    if not len(stretches.begin):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    begin, end = int(stretches.begin[0]), int(stretches.end[-1])
    lanes = [np.arange(first, last) for _, first, last in lanes_in(columns, begin, end, [track])]
    rows = np.concatenate(lanes) if lanes else np.empty(0, np.int64)
    start = columns.rows.start[rows]
    covered = stretches.within(start, start + columns.rows.duration[rows])
    rows, covered = rows[covered > 0], covered[covered > 0]
    own = covered.copy()
    parent = columns.rows.parent[rows]
    inner = np.flatnonzero(parent != NOTHING)
    # What holds a slice that touches a stretch touches it, too.
    np.subtract.at(own, np.searchsorted(rows, parent[inner]), covered[inner])
    return rows, np.maximum(own, 0)  # slices that overlap without nesting could take more than there is
