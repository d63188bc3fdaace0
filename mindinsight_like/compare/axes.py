"""Where the points of a curve stand: at steps, times, or the values of another scalar."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.store.answers import Curve

Floats = NDArray[np.float64]

STEP, RELATIVE, ABSOLUTE = "step", "relative", "absolute"
OWN = (STEP, RELATIVE, ABSOLUTE)


def placed(curve: Curve, axis: str, other: Curve | None) -> tuple[Floats, Floats]:
    """Places and values of a curve; `other` is the scalar that `axis` names, where it is none of the curve's own.

    At each step the other scalar counts with the value it had last; before its first value there are no places,
    nor where it was NaN or infinite.
    """
    values = np.asarray(curve.values, np.float64)
    if axis == STEP:
        return curve.steps.astype(np.float64), values
    if axis == RELATIVE:
        return curve.wall_times - curve.start_time, values
    if axis == ABSOLUTE:
        return np.asarray(curve.wall_times, np.float64), values
    if other is None or not len(other.steps):
        return np.zeros(0), np.zeros(0)
    at = np.searchsorted(other.steps, curve.steps, side="right") - 1
    known = at >= 0
    places = np.asarray(other.values, np.float64)[at[known]]
    is_place = np.isfinite(places)
    return places[is_place], values[known][is_place]
