"""Outlier steps and the operators that explain the difference."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS, Columns, StepTable, UnusualTime
from mindinsight_like.profiler.analysis.columns.medians import median as median_of
from mindinsight_like.profiler.traces.trace import Activity, Floats, Longs, Place

_LEAST_STEPS: Final = 5  # fewer do not tell what is usual
_FAR: Final = 3.5  # deviations, the usual border for the median absolute deviation
_LEAST_SHARE: Final = 0.05  # of the median: smaller differences help nobody
_MOST_EXPLAINED: Final = 50
_MOST_COMPARED: Final = 15  # usual steps, evenly chosen
_MOST_REASONS: Final = 5


def is_unusual(duration: Longs, is_partial: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which whole steps lie far from the median of the whole steps."""
    whole = duration[~is_partial]
    if len(whole) < _LEAST_STEPS:
        return np.zeros(len(duration), np.bool_)
    median = float(median_of(whole))
    deviation = 1.4826 * float(median_of(np.abs(whole - median)))
    distance = np.abs(duration - median)
    return np.asarray(~is_partial & (distance > _FAR * deviation) & (distance > _LEAST_SHARE * median), np.bool_)


def explain(columns: Columns, table: StepTable) -> dict[str, list[UnusualTime]]:
    """By position of the step: the names whose self time in it is furthest from usual, in the step's own direction."""
    duration = table.end - table.begin
    # Steps without slices tell nothing of the time that operators take as a rule.
    usual = np.flatnonzero(~table.is_partial & ~table.is_unusual & table.is_measured)
    unusual = np.flatnonzero(table.is_unusual & table.is_measured)
    if not len(unusual) or not len(usual) or not len(columns.rows):
        return {}
    middle = float(median_of(duration[usual]))
    unusual = unusual[np.argsort(-np.abs(duration[unusual] - middle), kind="stable")][:_MOST_EXPLAINED]
    compared = usual[np.unique(np.linspace(0, len(usual) - 1, _MOST_COMPARED).astype(np.int64))]
    expected = median_of([self_times(columns, int(table.begin[at]), int(table.end[at])) for at in compared])
    reasons: dict[str, list[UnusualTime]] = {}
    for at in unusual.tolist():
        here = self_times(columns, int(table.begin[at]), int(table.end[at]))
        direction = 1.0 if duration[at] > middle else -1.0
        difference = (here - expected) * direction
        furthest = np.argsort(-difference, kind="stable")[:_MOST_REASONS]
        # What explains less than a hundredth of the difference is noise.
        least = abs(float(duration[at]) - middle) / 100
        reasons[str(at)] = [
            {
                "name": columns.trace.texts[name],
                "typical_time": float(expected[name]) / NS_PER_MS,
                "time": float(here[name]) / NS_PER_MS,
            }
            for name in furthest.tolist()
            if difference[name] > least
        ]
    return reasons


def self_times(columns: Columns, begin: int, end: int) -> Floats:
    """For each text the self time of the slices with that name that begin in the range, marks of steps left out."""
    sums = np.zeros(len(columns.groups.name))
    bounds, rows = columns.lanes.bounds.tolist(), columns.rows
    for track, first, last in zip(columns.lanes.track.tolist(), bounds[:-1], bounds[1:], strict=True):
        if columns.trace.tracks[track].place == Place.LAYER:
            continue
        low, high = (first + np.searchsorted(rows.start[first:last], (begin, end))).tolist()
        if high > low:
            times = np.where(rows.activity[low:high] == Activity.STEP, 0, rows.self_time[low:high])
            counted = np.bincount(rows.group[low:high], times)
            sums[: len(counted)] += counted
    return np.asarray(np.bincount(columns.groups.name, sums, minlength=len(columns.trace.texts)), np.float64)
