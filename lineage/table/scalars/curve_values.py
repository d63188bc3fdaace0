"""Values of columns that need the points of curves: one per run, such as the mean of the last values."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from mindinsight_like.errors import BadParameter
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import Curve
from mindinsight_like.store.segments.segments import Floats
from mindinsight_like.store.series.alignment import newest_points

_NAME = re.compile(
    r"scalar/(?P<tag>.+)/(?P<how>last|min|max|best|mean(?::[1-9]\d{0,6})?|at:-?\d{1,18}|at:(?:min|max):.+)", re.DOTALL
)
_FORMS = "last, min, max, best, mean, mean:<points>, at:<step>, at:min:<other tag> or at:max:<other tag>"


@dataclass(frozen=True)
class ScalarName:
    """A column made of a scalar: `scalar/<tag>/<how>`."""

    tag: str
    how: str


def scalar_name(name: str) -> ScalarName | None:
    """The scalar that a column is made of, and how; None for other columns."""
    match = _NAME.fullmatch(name)
    return None if match is None else ScalarName(match["tag"], match["how"])


def required_scalar_name(name: str) -> ScalarName:
    """The same; raises BadParameter."""
    parts = scalar_name(name)
    if parts is None:
        raise BadParameter(f"unknown column {name[:200]!r}; scalar columns are scalar/<tag>/ and one of {_FORMS}")
    return parts


def read_values(reader: IndexReader, name: str, runs: list[str]) -> dict[str, float]:
    """The values of a column by run, of the runs that have one; raises Rebuilding."""
    parts = required_scalar_name(name)
    if parts.how.startswith(("at:min:", "at:max:")):
        _, best, other = parts.how.split(":", 2)
        return _at_best(reader, parts.tag, other, best, runs)
    form, _, number = parts.how.partition(":")
    reduce = _mean if form == "mean" else _at_step
    curves = reader.scalars(runs, [parts.tag], max_points=None)
    values = {curve.run: reduce(curve, int(number or 0)) for curve in reversed(curves)}
    return {run: value for run, value in values.items() if value is not None}


def _at_best(reader: IndexReader, tag: str, other: str, best: str, runs: list[str]) -> dict[str, float]:
    """The value of a scalar where another one was best."""
    curves = reader.scalars(runs, [other, tag], max_points=None)
    references = {curve.run: curve for curve in reversed(curves) if curve.tag == other}
    at_best: dict[str, float] = {}
    for curve in reversed(curves):
        reference = references.get(curve.run)
        if curve.tag != tag or reference is None or not np.isfinite(reference.values).any():
            continue
        targets = _finite(reference.values)
        place = np.nanargmax(targets) if best == "max" else np.nanargmin(targets)
        at = int(newest_points(curve, reference)[place])
        if at >= 0:
            at_best[curve.run] = float(curve.values[at])
    return at_best


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _mean(curve: Curve, last: int) -> float | None:
    """The mean of the last finite values; 0: of all."""
    values = curve.values[np.isfinite(curve.values)]
    return float(values[-last:].mean()) if len(values) else None


def _at_step(curve: Curve, step: int) -> float | None:
    """The value that was the newest at a step; None before the first and behind the last one."""
    at = int(np.searchsorted(curve.steps, step, side="right")) - 1
    return float(curve.values[at]) if at >= 0 and step <= curve.steps[-1] else None
