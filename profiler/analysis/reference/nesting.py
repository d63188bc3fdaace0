"""Order and nesting of slices, and propagation from children to parents: the Python reference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.trace import NOTHING, Ints, Longs

CALL, LAUNCH, WORK = 1, 2, 3


def time_order(track: Ints, start: Longs, duration: Longs, tracks: int) -> tuple[Ints, Longs]:
    """Positions of the slices by track, start, falling duration, file order; and where each track begins."""
    if len(start) != len(track) or len(duration) != len(track):
        raise ValueError("columns of different lengths")
    if len(track) and not 0 <= int(track.min()) <= int(track.max()) < tracks:
        raise ValueError("a slice lies on a track that does not exist")
    order = np.lexsort((-duration, start, track)).astype(np.int32)
    bounds = np.zeros(tracks + 1, np.int64)
    np.cumsum(np.bincount(track, minlength=tracks), out=bounds[1:])
    return order, bounds


def nest(
    order: Ints, bounds: Longs, start: Longs, duration: Longs, most_lanes: int
) -> tuple[Ints, Longs, Longs, Ints, Longs, Ints, Ints, Longs, int, int]:
    """Which slice lies in which, from the order that `time_order` gives.

    The parent of a slice is the latest begun one that holds all of it; one that only overlaps is no parent, and none
    is lost. A slice without duration is nobody's parent. Each slice is drawn in the first lane below its parent's
    that is free, and self time is what the union of the children leaves.

    Gives, by track and lane and time: the positions of the slices, their starts and durations, the rows of their
    parents, their self times; for each lane its track and number; where lanes begin; how many slices overlap an earlier
    one in part, and how many found no free lane among so many.
    """
    parent_at = np.full(len(order), NOTHING, np.int64)
    lane_of = np.zeros(len(order), np.int64)
    self_at = np.zeros(len(order), np.int64)
    overlapping = squeezed = 0
    for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        open_slices: list[tuple[int, int]] = []  # end, position; ends fall
        lane_ends: list[int] = []
        covered: dict[int, int] = {}
        for at in range(first, last):
            begin = int(start[order[at]])
            end = begin + int(duration[order[at]])
            is_overlapping = False
            # Whatever ends earlier is left behind: a later slice within it would lie within this one too.
            while open_slices and open_slices[-1][0] < end:
                is_overlapping |= open_slices.pop()[0] > begin
            overlapping += is_overlapping
            self_at[at] = end - begin
            lane = 0
            if open_slices:
                parent = parent_at[at] = open_slices[-1][1]
                reached = max(begin, covered.get(parent, begin))
                self_at[parent] -= max(end - reached, 0)
                covered[parent] = max(end, reached)
                lane = int(lane_of[parent]) + 1
            if end > begin:
                open_slices.append((end, at))
            while lane < len(lane_ends) and lane_ends[lane] > begin:
                lane += 1
            if lane >= most_lanes:
                lane = most_lanes - 1
                squeezed += 1
            if lane == len(lane_ends):
                lane_ends.append(end)
            lane_ends[lane] = max(lane_ends[lane], end)
            lane_of[at] = lane
    track_of = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    drawing_order = np.lexsort((np.arange(len(order)), lane_of, track_of))
    row_at = np.empty(len(order), np.int32)
    row_at[drawing_order] = np.arange(len(order), dtype=np.int32)
    parents = np.where(parent_at >= 0, row_at[parent_at], NOTHING)[drawing_order].astype(np.int32)
    lanes = np.stack((track_of, lane_of), axis=1)[drawing_order]
    heads = np.flatnonzero(np.any(np.diff(lanes, axis=0, prepend=-1) != 0, axis=1))
    positions = order[drawing_order]
    return (
        positions,
        start[positions],
        duration[positions],
        parents,
        self_at[drawing_order],
        lanes[heads, 0].astype(np.int32),
        lanes[heads, 1].astype(np.int32),
        np.append(heads, len(order)).astype(np.int64),
        overlapping,
        squeezed,
    )


def launchers(correlation: Longs, role: NDArray[np.uint8]) -> Ints:
    """For each row of device work the first call with the same correlation, a launch before any other; else NOTHING.

    Roles are CALL, LAUNCH and WORK, and 0 for rows that are none of them; a correlation of 0 is none.
    """
    if len(correlation) != len(role):
        raise ValueError("columns of different lengths")
    rows: dict[int, int] = {}
    for caller_role in (LAUNCH, CALL):
        for row in np.flatnonzero((role == caller_role) & (correlation != 0)).tolist():
            rows.setdefault(int(correlation[row]), row)
    launched_by = np.full(len(role), NOTHING, np.int32)
    for row in np.flatnonzero((role == WORK) & (correlation != 0)).tolist():
        launched_by[row] = rows.get(int(correlation[row]), NOTHING)
    return launched_by


def launched_within(parent: Ints, launched_by: Ints, duration: Longs) -> tuple[Longs, Ints]:
    """For each row the time and the number of all device work that was launched by it or by a row below it."""
    if len(launched_by) != len(parent) or len(duration) != len(parent):
        raise ValueError("columns of different lengths")
    if np.any(launched_by >= len(parent)):
        raise ValueError("a launch that does not exist")
    _check_parents(parent)
    time, kernels = np.zeros(len(parent), np.int64), np.zeros(len(parent), np.int32)
    work = np.flatnonzero(launched_by >= 0)
    np.add.at(time, launched_by[work], duration[work])
    np.add.at(kernels, launched_by[work], 1)
    for row in range(len(parent) - 1, -1, -1):
        if parent[row] >= 0:
            time[parent[row]] += time[row]
            kernels[parent[row]] += kernels[row]
    return time, kernels


def repeats(parent: Ints, is_call: NDArray[np.uint8], group: Ints, names: Ints) -> Ints:
    """The calls that are the only one in a row of the same name; `names` are those of the groups."""
    if len(is_call) != len(parent) or len(group) != len(parent):
        raise ValueError("columns of different lengths")
    _check_parents(parent)
    if len(group) and not 0 <= int(group.min()) <= int(group.max()) < len(names):
        raise ValueError("a group that does not exist")
    inner = np.flatnonzero((parent >= 0) & (is_call != 0))
    above = parent[inner]
    calls = np.bincount(above, minlength=1)
    is_repeat = (calls[above] == 1) & (names[group[inner]] == names[group[above]])
    return np.asarray(inner[is_repeat], np.int32)


def nearest(parent: Ints, is_wanted: NDArray[np.uint8]) -> Ints:
    """For each row the nearest row that is wanted, itself or above it; NOTHING for none."""
    if len(is_wanted) != len(parent):
        raise ValueError("columns of different lengths")
    _check_parents(parent)
    result = np.where(is_wanted != 0, np.arange(len(parent)), parent)
    while True:
        above = np.where((result >= 0) & (is_wanted[result] == 0), parent[result], result)
        if np.array_equal(above, result):
            return result.astype(np.int32)
        result = above


def _check_parents(parent: Ints) -> None:
    if np.any(parent >= np.arange(len(parent))):
        raise ValueError("a parent stands behind its child")
