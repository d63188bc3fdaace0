"""Rectangles of a timeline lane for a given width: the Python reference."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mindinsight_like.profiler.traces.trace import Ints, Longs

_STRIDE = 4  # rows of one level under a row of the next


def pyramid(duration: Longs) -> tuple[Ints, ...]:
    """Levels of detail: for every 4, 16 ... rows the row of the longest slice, the first of equal ones."""
    levels: list[Ints] = []
    rows = np.arange(len(duration), dtype=np.int32)
    while len(rows) > _STRIDE:
        heads = np.arange(0, len(rows), _STRIDE)
        lengths = duration[rows]
        longest = np.maximum.reduceat(lengths, heads)
        is_longest = lengths == np.repeat(longest, _STRIDE)[: len(rows)]
        at = np.flatnonzero(is_longest)
        _, first = np.unique(at // _STRIDE, return_index=True)
        rows = rows[at[first]]
        levels.append(rows)
    return tuple(levels)


def draw(
    start: Longs,
    duration: Longs,
    levels: Sequence[Ints],
    bounds: Longs,
    lanes: Longs,
    origin: int,
    until: int,
    width: int,
) -> tuple[Longs, Longs, Longs, Ints, Ints]:
    """Rectangles for some lanes (lane i has the rows bounds[i] to bounds[i + 1]), of the time from origin until.

    A slice as wide as a pixel or wider has its own. Narrower neighbours that begin in the same pixel share one, from
    the first beginning to the last end. A slice without duration is shown where it lies in [origin, until). Gives how
    many there are in each lane; and begins, ends, the row of the longest slice, the count of slices of each.
    """
    if until <= origin or width <= 0 or len(duration) != len(start):
        raise ValueError("an impossible window")
    if len(bounds) and (int(bounds.min()) < 0 or int(bounds.max()) > len(start)):
        raise ValueError("lanes end within the rows")
    drawn: list[tuple[int, int, int, int]] = []
    counts = np.zeros(len(lanes), np.int64)
    for at, lane in enumerate(lanes.tolist()):
        if not 0 <= lane < len(bounds) - 1 or bounds[lane] > bounds[lane + 1]:
            raise ValueError("a lane that does not exist")
        low, high = int(bounds[lane]), int(bounds[lane + 1])
        first, last = (low + np.searchsorted(start[low:high], (origin, until))).tolist()
        # Only the one before can reach into the window: slices of a lane do not overlap.
        if first > low and start[first - 1] + duration[first - 1] > origin:
            first -= 1
        of_lane = _draw_lane(start, duration, first, last, origin, until, width)
        counts[at] = len(of_lane)
        drawn += of_lane
    columns = np.array(drawn, np.int64).reshape(-1, 4)
    return counts, columns[:, 0], columns[:, 1], columns[:, 2].astype(np.int32), columns[:, 3].astype(np.int32)


def _draw_lane(
    start: Longs, duration: Longs, at: int, last: int, origin: int, until: int, width: int
) -> list[tuple[int, int, int, int]]:
    per_pixel = float(until - origin) / float(width)
    most = 3 * width + 8  # more cannot be unless slices of a lane overlap
    drawn: list[tuple[int, int, int, int]] = []
    while at < last and len(drawn) < most:
        begin, end = int(start[at]), int(start[at] + duration[at])
        head, longest = at, at
        at += 1
        if float(duration[head]) < per_pixel:
            pixel = int(float(begin - origin) / per_pixel) if begin > origin else 0
            edge = min(origin + math.ceil(float(pixel + 1) * per_pixel), until)
            while at < last and (start[at] < edge or start[at] == start[at - 1]) and float(duration[at]) < per_pixel:
                if duration[at] > duration[longest]:
                    longest = at
                end = max(end, int(start[at] + duration[at]))
                at += 1
        drawn.append((begin, end, longest, at - head))
    return drawn
