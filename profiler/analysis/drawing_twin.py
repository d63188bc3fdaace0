"""What a lane of the timeline shows on so many pixels: the plain version."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mindinsight_like.profiler.traces.trace import Ints, Longs

_STRIDE = 16  # rows of one level under a row of the next


def pyramid(duration: Longs) -> tuple[Ints, ...]:
    """Levels of detail: for every 16, 256 ... rows the row of the longest slice, the first of equal ones."""
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
    start: Longs, duration: Longs, levels: Sequence[Ints], first: int, last: int, origin: int, until: int, width: int
) -> tuple[Longs, Longs, Ints, Ints]:
    """Rectangles for the rows from first to last of one lane, of the time from origin until so many pixels later.

    A slice as wide as a pixel or wider has its own. Narrower neighbours that begin in the same pixel share one, from
    the first beginning to the last end. Gives begins, ends, the row of the longest slice, and the count of slices.
    """
    span = until - origin
    if not 0 <= first <= last <= len(start) or len(duration) != len(start) or span <= 0 or width <= 0:
        raise ValueError("a window that cannot be")
    per_pixel = float(span) / float(width)
    most = 3 * width + 8  # more cannot be unless slices of a lane overlap
    drawn: list[tuple[int, int, int, int]] = []
    at = first
    while at < last and start[at] < until and len(drawn) < most:
        begin, end = int(start[at]), int(start[at] + duration[at])
        if float(duration[at]) >= per_pixel:
            drawn.append((begin, end, at, 1))
            at += 1
            continue
        pixel = int(float(begin - origin) / per_pixel) if begin > origin else 0
        edge = min(origin + math.ceil(float(pixel + 1) * per_pixel), until)
        head, longest = at, at
        at += 1
        while at < last and (start[at] < edge or start[at] == start[at - 1]) and float(duration[at]) < per_pixel:
            if duration[at] > duration[longest]:
                longest = at
            end = max(end, int(start[at] + duration[at]))
            at += 1
        drawn.append((begin, end, longest, at - head))
    columns = np.array(drawn, np.int64).reshape(-1, 4)
    return columns[:, 0], columns[:, 1], columns[:, 2].astype(np.int32), columns[:, 3].astype(np.int32)
