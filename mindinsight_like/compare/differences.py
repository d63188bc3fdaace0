"""Last, smallest and largest value per run or group and tag, and the differences from a baseline."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

import numpy as np

from mindinsight_like.compare.cache import CurveCache
from mindinsight_like.compare.comparison import whole_curves
from mindinsight_like.expressions.derived import is_expression
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import Curve

LAST, SMALLEST, LARGEST = REDUCTIONS = ("last", "min", "max")

Values = dict[str, dict[str, float]]
"""By tag and reduction, those there are."""


@dataclass(frozen=True)
class Measured:
    values: Values
    differences: dict[str, dict[str, float | None]] = field(default_factory=dict)  # in percent; None: says nothing
    counts: dict[str, int] = field(default_factory=dict)  # by tag: runs behind the values of a group


def values_of(
    reader: IndexReader, cache: CurveCache, runs: Sequence[str], tags: Sequence[str], baseline_run: str
) -> dict[str, Values]:
    """What the runs have of the tags, some of which may be expressions; raises RunNotFound, BadParameter."""
    summaries = reader.series.scalar_summaries(runs, tags) if runs else {}
    by_run: dict[str, Values] = {}
    for run in runs:
        values = by_run[run] = {}
        for tag, each in summaries.get(run, {}).items():
            named = {LAST: each.last_value, SMALLEST: each.min, LARGEST: each.max}
            values[tag] = {name: value for name, value in named.items() if value is not None}
    derived = [tag for tag in tags if is_expression(tag)]
    if derived:
        for (run, tag), curves in whole_curves(cache, runs, derived, baseline_run).items():
            if run in by_run and tag in derived and tag not in by_run[run] and len(curves[0].values):
                by_run[run][tag] = _values_of_curve(curves[0])
    return by_run


def _values_of_curve(curve: Curve) -> dict[str, float]:
    values = {LAST: float(curve.values[-1])}
    finite = curve.values[np.isfinite(curve.values)]
    if len(finite):
        values |= {SMALLEST: float(finite.min()), LARGEST: float(finite.max())}
    return values


def group_values(values: Mapping[str, Values], groups: Mapping[str, Sequence[str]], centre: str) -> dict[str, Measured]:
    """The middle of what the runs of each group have; NaN and infinite values are left out."""
    middle = statistics.fmean if centre == "mean" else statistics.median
    by_group = {}
    for group, runs in groups.items():
        columns: dict[tuple[str, str], list[float]] = {}
        for run in runs:
            for tag, named in values[run].items():
                for name, value in named.items():
                    if isfinite(value):
                        columns.setdefault((tag, name), []).append(value)
        measured = by_group[group] = Measured({})
        for (tag, name), column in columns.items():
            measured.values.setdefault(tag, {})[name] = middle(column)
            measured.counts[tag] = max(measured.counts.get(tag, 0), len(column))
    return by_group


def differences_from(values: Values, base: Values) -> dict[str, dict[str, float | None]]:
    """How far each value is from that of the baseline."""
    return {
        tag: {name: percent(value, base.get(tag, {}).get(name)) for name, value in named.items()}
        for tag, named in values.items()
    }


def percent(value: float, base: float | None) -> float | None:
    """How far a value is above a base, in percent of it."""
    if base is None or base == 0 or not isfinite(base) or value != value:
        return None
    return (value - base) / abs(base) * 100.0
