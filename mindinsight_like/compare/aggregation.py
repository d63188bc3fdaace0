"""Aggregate the curves of several runs: mean or median with a band, and the number of runs at each point.

Runs log at steps of their own and end at different times. At a place x a run counts when x lies between its first and
its last finite point, both included; its value there is what it logged at x, else what lies on the straight line
between its neighbouring points. Nothing is made up beyond the ends of a run, so that `n` falls where runs end. The
places are all those where any run of the group has a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CENTRES = ("mean", "median")
BANDS = ("sd", "se", "ci95", "p10p90", "minmax", "none")

_CELLS_AT_ONCE = 4_000_000  # values in memory together
_MOST_CELLS = 200_000_000  # beyond, places are left out evenly: a second of work per some ten million

# The 97.5 % points of Student's distribution with 1, 2, ... degrees of freedom.
_STUDENT = np.array([
    12.7062047, 4.3026527, 3.1824463, 2.7764451, 2.5705818, 2.4469119, 2.3646243, 2.3060041, 2.2621572, 2.2281389,
    2.2009852, 2.1788128, 2.1603687, 2.1447867, 2.1314495, 2.1199053, 2.1098156, 2.1009220, 2.0930241, 2.0859634,
    2.0796138, 2.0738731, 2.0686576, 2.0638986, 2.0595386, 2.0555294, 2.0518305, 2.0484071, 2.0452296, 2.0422725,
])  # fmt: skip
_NORMAL = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Path:
    """One curve to be taken into a group: places and values, finite, places rising."""

    x: Floats
    values: Floats


@dataclass(frozen=True)
class GroupCurve:
    x: Floats
    centre: Floats
    low: Floats  # NaN where the band needs more runs than there are
    high: Floats
    n: Ints


def path_of(x: NDArray[Any], values: NDArray[Any]) -> Path:
    """A curve as a group takes it: without points that are no numbers, sorted, of equal places the mean."""
    x, values = np.asarray(x, np.float64), np.asarray(values, np.float64)
    finite = np.isfinite(values) & np.isfinite(x)
    x, values = x[finite], values[finite]
    if len(x) > 1 and not (np.diff(x) > 0).all():
        places, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
        x, values = places, np.bincount(inverse, weights=values) / counts
    return Path(x, values)


def aggregate(paths: Sequence[Path], *, centre: str = "mean", band: str = "sd") -> GroupCurve:
    """The curves of a group as one."""
    paths = [path for path in paths if len(path.x)]
    if not paths:
        nothing = np.zeros(0)
        return GroupCurve(nothing, nothing, nothing, nothing, np.zeros(0, np.int64))
    places = _places(paths)
    pieces = max(1, -(-len(places) * len(paths) // _CELLS_AT_ONCE))
    parts = [_aggregated_at(part, paths, centre, band) for part in np.array_split(places, pieces)]
    return GroupCurve(
        places,
        np.concatenate([part.centre for part in parts]),
        np.concatenate([part.low for part in parts]),
        np.concatenate([part.high for part in parts]),
        np.concatenate([part.n for part in parts]),
    )


def _places(paths: Sequence[Path]) -> Floats:
    places = paths[0].x
    if any(not np.array_equal(path.x, places) for path in paths[1:]):
        places = np.unique(np.concatenate([path.x for path in paths]))
    most = max(2, _MOST_CELLS // len(paths))
    if len(places) > most:
        places = places[np.unique(np.linspace(0, len(places) - 1, most).round().astype(np.int64))]
    return places


def _aggregated_at(places: Floats, paths: Sequence[Path], centre: str, band: str) -> GroupCurve:
    values = np.stack([np.interp(places, path.x, path.values, left=np.nan, right=np.nan) for path in paths])
    there = ~np.isnan(values)
    n = there.sum(axis=0)
    filled = np.where(there, values, 0.0)
    mean = filled.sum(axis=0) / np.maximum(n, 1)
    middle = mean if centre == "mean" else _median(values, n)
    if band == "none":
        return GroupCurve(places, middle, np.full_like(middle, np.nan), np.full_like(middle, np.nan), n)
    if band == "minmax":
        low = np.where(there, values, np.inf).min(axis=0)
        return GroupCurve(places, middle, low, np.where(there, values, -np.inf).max(axis=0), n)
    if band == "p10p90":
        ordered = np.sort(values, axis=0)  # gaps go last
        return GroupCurve(places, middle, _quantile(ordered, n, 0.1), _quantile(ordered, n, 0.9), n)
    squares = (np.where(there, values - mean, 0.0) ** 2).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.sqrt(np.where(n > 1, squares / (n - 1), np.nan))
        if band != "sd":
            deviation = deviation / np.sqrt(n) * (student(n - 1) if band == "ci95" else 1.0)
    return GroupCurve(places, middle, middle - deviation, middle + deviation, n)


def _median(values: Floats, n: Ints) -> Floats:
    """The median of each column without its gaps."""
    ordered = np.sort(values, axis=0)  # gaps go last
    columns = np.arange(values.shape[1])
    lower, upper = np.maximum(n - 1, 0) // 2, n // 2
    upper = np.minimum(upper, np.maximum(n - 1, 0))
    middle: Floats = (ordered[lower, columns] + ordered[upper, columns]) / 2.0
    return middle


def _quantile(ordered: Floats, n: Ints, share: float) -> Floats:
    """A quantile of each sorted column without its gaps, between two values by a straight line."""
    place = np.maximum(n - 1, 0) * share
    columns = np.arange(ordered.shape[1])
    lower = np.floor(place).astype(np.int64)
    upper = np.minimum(lower + 1, np.maximum(n - 1, 0))
    quantile: Floats = ordered[lower, columns] + (place - lower) * (ordered[upper, columns] - ordered[lower, columns])
    return quantile


def student(freedom: Ints) -> Floats:
    """The 97.5 % point of Student's distribution; from 31 degrees of freedom on to a hundred-thousandth."""
    f = np.maximum(freedom, 1).astype(np.float64)
    z = _NORMAL
    # The first terms of its expansion around the normal distribution's point.
    far = (
        z
        + (z**3 + z) / (4 * f)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * f**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * f**3)
    )
    near = _STUDENT[np.clip(freedom, 1, len(_STUDENT)) - 1]
    return np.where(freedom <= len(_STUDENT), near, far)
