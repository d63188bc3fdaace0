"""Welch's t-test. Dependency-free, because training processes import the analyses."""

from __future__ import annotations

import math
from typing import Final

from mindinsight_like.profiler.traces.trace import Floats

_TINY: Final = 1e-300
_ROUNDS: Final = 300


def difference_by_chance(one: Floats, other: Floats) -> float:
    """The two-sided p-value for equal means of two samples, each of two or more; 1 or 0 where neither varies."""
    errors = [float(each.var(ddof=1)) / len(each) for each in (one, other)]
    difference = float(one.mean() - other.mean())
    # Rounding alone must not make two equal constants differ.
    if sum(errors) <= (1e-12 * max(abs(float(one.mean())), abs(float(other.mean())), _TINY)) ** 2:
        return 1.0 if math.isclose(float(one.mean()), float(other.mean()), rel_tol=1e-9) else 0.0
    freedom = sum(errors) ** 2 / sum(
        error**2 / (len(each) - 1) for error, each in zip(errors, (one, other), strict=True)
    )
    square = difference**2 / sum(errors)
    return incomplete_beta(freedom / (freedom + square), freedom / 2, 0.5)


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, as a continued fraction (Lentz)."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1) / (a + b + 2):  # the fraction of the other end comes to its value sooner
        return 1.0 - incomplete_beta(1.0 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    upper, lower = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1))
    value = lower
    for m in range(1, _ROUNDS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            lower = 1.0 / _away_from_zero(1.0 + term * lower)
            upper = _away_from_zero(1.0 + term / upper)
            value *= upper * lower
        if abs(upper * lower - 1.0) < 1e-14:
            break
    return min(1.0, front * value)


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
