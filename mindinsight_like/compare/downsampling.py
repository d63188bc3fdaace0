"""Downsample curves to what a screen can show: of each bucket the first and last point and the extremes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.store.segments.downsampling import ascending, point_by_point

Floats = NDArray[np.float64]
Ends = tuple[float | None, float | None]  # None: open

_ENDS, _EXTREMES = 2, 2  # kept of each stretch; the extremes of every column


def downsample(columns: Sequence[Floats], most: int) -> NDArray[np.int64]:
    """Places of at most about `most` points, in order, such that no extreme is lost; all when they are few enough.

    The columns are what is drawn at the same places: values, and what is smoothed, or a middle and its band.
    """
    of_each = _ENDS + _EXTREMES * len(columns)
    if len(columns[0]) <= max(most, of_each):
        return np.arange(len(columns[0]))
    buckets = max(1, most // of_each)
    return ascending([places for values in columns for places in point_by_point(values, buckets)])


def in_view(x: Floats, within: Ends) -> slice:
    """The part of a curve whose places lie within both ends, and a point on either side to draw lines to."""
    if within == (None, None) or not len(x):
        return slice(None)
    low, high = (-np.inf if within[0] is None else within[0], np.inf if within[1] is None else within[1])
    if (x[1:] >= x[:-1]).all():
        begin, end = np.searchsorted(x, low), np.searchsorted(x, high, "right")
        return slice(max(0, int(begin) - 1), int(end) + 1)
    inside = np.flatnonzero((x >= low) & (x <= high))
    return slice(max(0, int(inside[0]) - 1), int(inside[-1]) + 2) if len(inside) else slice(0, 0)
