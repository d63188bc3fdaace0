"""Groups of runs with the same values in some columns: how many, mean and deviation of their numbers, shared texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.lineage.columns import Column, SortKey, Table, Value

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class NumberSummary:
    """Of the finite numbers of a group."""

    n: int
    mean: float
    sd: float | None  # of a sample; None for fewer than two
    min: float
    max: float


@dataclass(frozen=True)
class RunGroup:
    value: Value | None  # None: the runs without one
    n: int
    first_row: int  # of its runs, in the order of the table
    numbers: Mapping[str, NumberSummary]
    shared: Mapping[str, Value]  # of columns that hold more than numbers: the value that all its runs have


def rows_of_group(table: Table, rows: Rows, columns: Sequence[str], values: Sequence[Value | None]) -> Rows:
    """Those of the rows that have these values in these columns, in their order."""
    for name, value in zip(columns, values, strict=False):
        column = table.column(name)
        mask = ~column.present if value is None else column.equal_to(value)
        rows = rows[mask[rows]]
    return rows


def groups_of(table: Table, rows: Rows, column: str, shown: Sequence[str], sort: Sequence[SortKey]) -> list[RunGroup]:
    """The groups of some rows by one column; sorted by it or by the mean of another, else in the order of the rows."""
    if not len(rows):
        return []
    keys = table.column(column)
    # Equal ranks are equal values; those without a value have ranks of their own.
    ranks = np.where(keys.present[rows], keys.ranks[rows], -1)
    _, first, numbers = np.unique(ranks, return_index=True, return_inverse=True)
    sizes = np.bincount(numbers)
    summaries = {name: _summaries(table.column(name), rows, numbers, len(first)) for name in shown if name != column}
    shared = {name: _shared(table.column(name), rows, numbers, first) for name in summaries}
    groups = [
        RunGroup(
            keys.at(int(rows[begin])),
            int(sizes[number]),
            int(begin),
            {name: each for name, of_column in summaries.items() if (each := of_column[number]) is not None},
            {name: value for name, values in shared.items() if (value := values[number]) is not None},
        )
        for number, begin in enumerate(first.tolist())
    ]
    # np.unique has put them in the order of the column's values, those without one first.
    order = [(number, group) for number, group in enumerate(groups)]
    for key in reversed(sort):
        order.sort(key=lambda item, key=key: _place(item, key, column))  # type: ignore[misc]
    if not sort:
        order.sort(key=lambda item: item[1].first_row)
    return [group for _, group in order]


def _place(item: tuple[int, RunGroup], key: SortKey, column: str) -> tuple[bool, bool, float]:
    """Where a group stands in the order of a column: those without a value last, the runs without any at the end."""
    number, group = item
    sign = -1 if key.descending else 1
    if key.column == column:
        return group.value is None, False, sign * number
    summary = group.numbers.get(key.column)
    return group.value is None, summary is None, 0.0 if summary is None else sign * summary.mean


def _shared(column: Column, rows: Rows, numbers: NDArray[np.int64], first: Rows) -> list[Value | None]:
    """The one value of each group; None where its runs differ, or one of them has none."""
    if column.type in ("int", "float"):
        return [None] * len(first)
    ranks = np.where(column.present[rows], column.ranks[rows], -1)
    differs = np.zeros(len(first), bool)
    differs[numbers[ranks != ranks[first][numbers]]] = True
    return [
        None if different else column.at(int(rows[begin]))
        for different, begin in zip(differs.tolist(), first.tolist(), strict=True)
    ]


def _summaries(column: Column, rows: Rows, numbers: NDArray[np.int64], groups: int) -> list[NumberSummary | None]:
    if column.type not in ("int", "float"):
        return [None] * groups
    values = column.numbers[rows]
    usable = np.isfinite(values)
    values, members = values[usable], numbers[usable]
    counts = np.bincount(members, minlength=groups)
    means = np.bincount(members, weights=values, minlength=groups) / np.maximum(counts, 1)
    squares = np.bincount(members, weights=(values - means[members]) ** 2, minlength=groups)
    low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low, members, values)
    np.maximum.at(high, members, values)
    return [
        NumberSummary(
            count,
            float(means[group]),
            float(np.sqrt(squares[group] / (count - 1))) if count > 1 else None,
            float(low[group]),
            float(high[group]),
        )
        if count
        else None
        for group, count in enumerate(counts.tolist())
    ]
