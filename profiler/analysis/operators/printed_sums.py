"""Operator tables from precomputed sums, for recordings without slices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS, SIDES, Columns
from mindinsight_like.profiler.analysis.columns.tables import Table
from mindinsight_like.profiler.traces.trace import NOT_GIVEN, Floats, Longs

from .operator_table import SideTotals

# Which slices tell the same as these sums, and better.
_TOLD_BY: Final = {"AI CPU": "AI CPU", "Host CPU": "host"}


@dataclass(frozen=True)
class Filter:
    """Side, type and name that are asked for."""

    side: str
    type: str | None
    name: str | None

    def takes(self, side: str, type: str, name: str | None) -> bool:
        """Whether a row is asked for."""
        is_side = not self.side or self.side == side
        is_name = self.name is None or self.name == name
        return is_side and is_name and (self.type is None or self.type == type)


def table(columns: Columns, by: str, criteria: Filter) -> Table:
    """Columns of the rows that are asked for; of sides that have slices there are none, and no columns at all."""
    operators, types = columns.trace.operator_sums, columns.trace.type_sums
    with_slices = _sides_with_slices(columns)
    if by == "type" and types is not None:
        at = [
            row
            for row, (side, type) in enumerate(zip(types.side, types.type, strict=True))
            if side not in with_slices and criteria.takes(side, type, criteria.name)
        ]
        if at:
            texts = {"type": [types.type[row] for row in at], "side": [types.side[row] for row in at]}
            unknown = np.full(len(at), np.nan)
            return _table(texts, types.count[at], types.total[at], unknown, unknown)
    if operators is None:
        return {}
    at = [
        row
        for row, (side, type, name) in enumerate(zip(operators.side, operators.type, operators.name, strict=True))
        if side not in with_slices and criteria.takes(side, type, name)
    ]
    if not at:
        return {}
    keys = {
        "name": [operators.full_name[row] or operators.name[row] for row in at],
        "type": [operators.type[row] for row in at],
        "shape": [_shape(operators.details[row]) for row in at],
        "side": [operators.side[row] for row in at],
    }
    for other in {"name", "shape"} if by == "type" else {"shape"} if by == "name" else set():
        del keys[other]
    extremes = (operators.shortest[at], operators.longest[at])
    shortest, longest = (np.where(times == NOT_GIVEN, np.nan, times) for times in extremes)
    return _merged(keys, operators.count[at], operators.total[at], shortest, longest)


def sides(columns: Columns) -> list[SideTotals]:
    """Each side that only sums tell of."""
    with_slices = _sides_with_slices(columns)
    sums_by_side: dict[str, list[float]] = {}
    # Of each side the sums of operators, or those of types where only they are left.
    for sums in (columns.trace.operator_sums, columns.trace.type_sums):
        if sums is None:
            continue
        skipped = with_slices | sums_by_side.keys()
        for side, count, total in zip(sums.side, sums.count.tolist(), sums.total.tolist(), strict=True):
            if side not in skipped:
                entry = sums_by_side.setdefault(side, [0, 0.0])
                entry[0] += count
                entry[1] += total
    return [
        {"side": side, "total": total / NS_PER_MS, "self": total / NS_PER_MS, "count": int(count)}
        for side, (count, total) in sums_by_side.items()
    ]


def _sides_with_slices(columns: Columns) -> set[str]:
    present = {SIDES[side] for side in np.flatnonzero(np.bincount(columns.groups.side)).tolist()}
    both = (columns.trace.operator_sums, columns.trace.type_sums)
    named = {side for sums in both if sums is not None for side in sums.side}
    return {side for side in named if _TOLD_BY.get(side, "device") in present}


def _shape(details: dict[str, Any]) -> str:
    """The shapes of the inputs, under the names that tools give them."""
    return next((str(details[key]) for key in ("input_shapes", "Input Shapes", "shape") if key in details), "")


def _merged(keys: dict[str, list[str]], count: Longs, total: Floats, shortest: Floats, longest: Floats) -> Table:
    numbers: dict[tuple[str, ...], int] = {}
    number = np.array([numbers.setdefault(key, len(numbers)) for key in zip(*keys.values(), strict=True)])
    counts = np.bincount(number, count, len(numbers)).astype(np.int64)
    totals: Floats = np.bincount(number, total, len(numbers)).astype(np.float64)
    least, most = np.full((2, len(numbers)), np.nan)
    np.fmin.at(least, number, shortest)  # what is not known counts for nothing
    np.fmax.at(most, number, longest)
    texts = {key: [names[at] for names in numbers] for at, key in enumerate(keys)}
    return _table(texts, counts, totals, least, most)


def _table(texts: dict[str, list[str]], count: Longs, total: Floats, shortest: Floats, longest: Floats) -> Table:
    times = np.asarray(total, np.float64) / NS_PER_MS
    table: Table = {key: np.array(names, object) for key, names in texts.items()}
    return table | {
        "count": np.asarray(count, np.int64),
        "total": times,
        "self": times,
        "mean": times / np.maximum(count, 1),
        "min": shortest / NS_PER_MS,
        "max": longest / NS_PER_MS,
    }
