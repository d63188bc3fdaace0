"""Divergence of two curves: the first step from which they differ by more than their step-to-step noise.

The noise of a curve is the median of its changes from one point to the next. Two curves have parted at a common step
when from there on, for five common steps or to their end, one is above the other by more than three times the larger
noise and by more than one thousandth of what they span together. Runs that log at different steps are compared at the
steps of the sparser one, where the other is read between its neighbours. A curve that turns to NaN or infinity, for
five points or to its end, has parted from one that goes on with numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.store.result_types import Curve

NOISE_FACTOR = 3.0
MIN_RELATIVE_GAP = 1e-3
MIN_CONSECUTIVE = 5

Floats = NDArray[np.float64]


def divergence_step(one: Curve, other: Curve) -> int | None:
    """The step where two curves part, None when they do not, or have no steps in common."""
    if not (one.has_steps and other.has_steps):
        return None
    candidates = (_value_divergence(one, other), _nonfinite_divergence(one, other), _nonfinite_divergence(other, one))
    return min((step for step in candidates if step is not None), default=None)


def _nonfinite_divergence(one: Curve, other: Curve) -> int | None:
    """The step from which on one curve has no numbers any more, at least for a while, though the other has."""
    is_finite = np.isfinite(one.values)
    numbers = other.steps[np.isfinite(other.values)]
    if not is_finite.any() or not len(numbers):
        return None
    every = np.arange(len(is_finite))
    lengths = _run_lengths(is_finite)
    has_failed = ~is_finite & (lengths >= np.minimum(MIN_CONSECUTIVE, len(is_finite) - every))
    places = np.flatnonzero(has_failed & (every > np.argmax(is_finite)) & (one.steps <= numbers[-1]))
    return int(one.steps[places[0]]) if len(places) else None


def _run_lengths(states: NDArray[Any]) -> NDArray[np.int64]:
    """Of each place, how many from there on are the same without a break."""
    every = np.arange(len(states))
    breaks = np.append(np.flatnonzero(np.diff(states)) + 1, len(states))
    return np.asarray(breaks[np.searchsorted(breaks, every, side="right")] - every)


def _value_divergence(one: Curve, other: Curve) -> int | None:
    steps, left, right = _align(one, other)
    if len(steps) == 0:
        return None
    noise = max(_noise(left), _noise(right))
    span = float(max(left.max(), right.max()) - min(left.min(), right.min()))
    limit = max(NOISE_FACTOR * noise, MIN_RELATIVE_GAP * span)
    # 1 or -1 where one is clearly above the other, else 0.
    above = np.sign(left - right) * (np.abs(left - right) > limit)
    needed = np.minimum(MIN_CONSECUTIVE, len(above) - np.arange(len(above)))
    places = np.flatnonzero((above != 0) & (_run_lengths(above) >= needed))
    return int(steps[places[0]]) if len(places) else None


def _align(one: Curve, other: Curve) -> tuple[NDArray[np.int64], Floats, Floats]:
    """The values of both at the steps of the sparser one, as far as both reach."""
    (first_steps, first), (second_steps, second) = _finite(one), _finite(other)
    if len(first_steps) == 0 or len(second_steps) == 0:
        return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
    low, high = max(first_steps[0], second_steps[0]), min(first_steps[-1], second_steps[-1])
    steps = first_steps if len(first_steps) <= len(second_steps) else second_steps
    steps = steps[(steps >= low) & (steps <= high)]
    return steps, np.interp(steps, first_steps, first), np.interp(steps, second_steps, second)


def _finite(curve: Curve) -> tuple[NDArray[np.int64], Floats]:
    is_finite = np.isfinite(curve.values)
    return curve.steps[is_finite], np.asarray(curve.values[is_finite], np.float64)


def _noise(values: Floats) -> float:
    return float(np.median(np.abs(np.diff(values)))) if len(values) > 1 else 0.0
