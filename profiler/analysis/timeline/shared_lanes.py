"""Overflow lane of a track with more concurrent slices than lanes; its slices may overlap.

All other lanes are searched by time alone, as only the slice before a moment can reach it. Here any earlier one can, so
that all of them are looked at; few recordings have such a lane.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns.columns import MOST_LANES, Columns
from mindinsight_like.profiler.analysis.columns.drawing import Rectangles
from mindinsight_like.profiler.traces.trace import Longs


def are_shared(columns: Columns, lanes: Longs) -> NDArray[np.bool_]:
    """In which of the lanes slices may overlap."""
    return np.asarray(columns.lanes.number[lanes] == MOST_LANES - 1)


def is_shared(columns: Columns, lane: int) -> bool:
    """Whether slices of a lane may overlap."""
    return bool(columns.lanes.number[lane] == MOST_LANES - 1)


def touching(columns: Columns, lane: int, from_ns: int, to_ns: int) -> Longs:
    """The rows of a lane that touch the range; a slice without duration does where it lies in it, as [from, to)."""
    low, high = columns.lanes.bounds[lane : lane + 2].tolist()
    start = columns.rows.start[low:high]
    last = int(np.searchsorted(start, to_ns))
    is_in = (start[:last] >= from_ns) | (start[:last] + columns.rows.duration[low : low + last] > from_ns)
    return np.asarray(low + np.flatnonzero(is_in), np.int64)


def stretches_in(columns: Columns, lane: int, from_ns: int, to_ns: int) -> Iterator[tuple[int, int]]:
    """The same rows, ascending, as first and one after the last; who reaches out of the range is alone."""
    rows = touching(columns, lane, from_ns, to_ns)
    start = columns.rows.start[rows]
    is_cut = (start < from_ns) | (start + columns.rows.duration[rows] > to_ns)
    is_head = np.ones(len(rows), bool)
    is_head[1:] = is_cut[1:] | is_cut[:-1] | (np.diff(rows) > 1)
    heads = np.flatnonzero(is_head)
    lasts = np.append(heads[1:], len(rows))[: len(heads)] - 1
    yield from zip(rows[heads].tolist(), (rows[lasts] + 1).tolist(), strict=True)


def last_at(columns: Columns, lane: int, time: int) -> int:
    """The row that began last of those that have not ended before a time, -1 for none."""
    low, high = columns.lanes.bounds[lane : lane + 2].tolist()
    last = low + int(np.searchsorted(columns.rows.start[low:high], time, "right"))
    unfinished = np.flatnonzero(columns.rows.start[low:last] + columns.rows.duration[low:last] >= time)
    return low + int(unfinished[-1]) if len(unfinished) else -1


def draw(columns: Columns, lane: int, from_ns: int, to_ns: int, width: int) -> Rectangles:
    """The rectangles of a shared lane, as `drawing.draw` gives those of others.

    Slices as wide as a pixel have their own unless there are more of them than a screen can show: then all that begin
    in the same pixel are one, and so are those that began before. They reach as far as the furthest of them, so that
    nothing is bare that a slice covers.
    """
    rows = touching(columns, lane, from_ns, to_ns)
    start, duration = columns.rows.start[rows], columns.rows.duration[rows]
    per_pixel = float(to_ns - from_ns) / float(width)
    pixel = np.where(start < from_ns, -1, ((start - from_ns) / per_pixel).astype(np.int64))
    is_wide = duration >= per_pixel
    is_head = np.ones(len(rows), bool)
    is_head[1:] = (np.diff(pixel) > 0) | is_wide[1:] | is_wide[:-1]
    if int(is_head.sum()) > 3 * width + 8:
        is_head[1:] = np.diff(pixel) > 0
    heads = np.flatnonzero(is_head)
    if not len(heads):
        return Rectangles(np.zeros(1, np.int64), start, start, rows.astype(np.int32), rows.astype(np.int32))
    # The first of the longest: sorted by rectangle, then from the longest down.
    rectangle = np.cumsum(is_head) - 1
    longest = np.lexsort((-duration, rectangle))[heads]
    counts = np.diff(np.append(heads, len(rows)))
    ends = np.maximum.reduceat(start + duration, heads)
    per_lane = np.array([len(heads)])
    return Rectangles(per_lane, start[heads], ends, rows[longest].astype(np.int32), counts.astype(np.int32))
