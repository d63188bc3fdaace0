"""Horizontal positions of the points of a curve: steps, times, or the values of another scalar."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.store.result_types import Curve
from mindinsight_like.store.series.alignment import newest_points

Floats = NDArray[np.float64]

STEP, RELATIVE, ABSOLUTE = "step", "relative", "absolute"
OWN = (STEP, RELATIVE, ABSOLUTE)


def place_points(curve: Curve, axis: str, other: Curve | None) -> tuple[Floats, Floats]:
    """Places and values of a curve; `other` is the scalar that `axis` names, where it is none of the curve's own.

    At each step the other scalar counts with the value it had last (without steps: at each time); before its first
    value there are no places, nor where it was NaN or infinite.
    """
    values = np.asarray(curve.values, np.float64)
    if axis == STEP:
        return curve.steps.astype(np.float64), values
    if axis in (RELATIVE, ABSOLUTE):
        places = np.asarray(curve.wall_times, np.float64) - (curve.start_time if axis == RELATIVE else 0.0)
        if (places[1:] < places[:-1]).any():  # late points stand where their step does
            order = np.argsort(places, kind="stable")
            return places[order], values[order]
        return places, values
    if other is None or not len(other.steps):
        return np.zeros(0), np.zeros(0)
    at = newest_points(other, curve)
    has_place = at >= 0
    places = np.asarray(other.values, np.float64)[at[has_place]]
    is_place = np.isfinite(places)
    return places[is_place], values[has_place][is_place]
