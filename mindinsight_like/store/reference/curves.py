"""Bucket extremes and smoothing of curves in plain Python: the reference of the native module."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.int64]


def envelope(values: NDArray[Any], bounds: Positions) -> tuple[Positions, Positions, Positions]:
    """Positions of the smallest, the largest and the first non-finite value of each bucket; -1 where there is none."""
    if len(bounds) == 0:
        raise ValueError("a bucket needs two bounds")
    if bounds[0] < 0 or bounds[-1] > len(values) or (bounds[1:] < bounds[:-1]).any():
        raise ValueError("bounds must ascend within the curve")
    positions = np.full((3, len(bounds) - 1), -1, np.int64)
    finite = np.isfinite(values)
    for bucket, (begin, end) in enumerate(pairwise(bounds.tolist())):
        part, is_finite = values[begin:end], finite[begin:end]
        if is_finite.any():
            positions[0, bucket] = begin + int(np.argmin(np.where(is_finite, part, np.inf)))
            positions[1, bucket] = begin + int(np.argmax(np.where(is_finite, part, -np.inf)))
        if not is_finite.all():
            positions[2, bucket] = begin + int(np.argmin(is_finite))
    return positions[0], positions[1], positions[2]


def smooth(values: NDArray[Any], weight: float) -> NDArray[np.float64]:
    """The exponential moving average of a curve, without its bias towards zero at the start.

    Values that are not finite stay as they are and do not count.
    """
    if not 0.0 <= weight < 1.0:
        raise ValueError("the weight must be at least 0 and below 1")
    smoothed = values.astype(np.float64)
    last, bias = 0.0, 1.0
    constant = math.nan
    is_constant = True  # so far, as is the average then: rounding would draw waves on an axis of its own height
    for position, value in enumerate(smoothed.tolist()):
        if math.isfinite(value):
            if bias == 1.0:
                constant = value
            is_constant = is_constant and value == constant
            last = last * weight + (1.0 - weight) * value
            bias *= weight
            if not is_constant:
                smoothed[position] = last / (1.0 - bias)
    return smoothed
