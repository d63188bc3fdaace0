"""Rows of sub-runs as arrays: which value of which sub-run a row shows in a column."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.lineage.columns import Column, NumberColumn, Value

from .sub_runs import EVALUATION, SubRuns

Places = NDArray[np.int64]
Preference = Literal["lead", "training", "evaluation"]
"""Whose value counts where several sub-runs have one; of versions that of the newest, of ranks that of the lowest.

`lead`: of what people set; the sub-run that a row stands for, which never changes while the training goes on.
"""

_MOST_COLUMNS: Final = 300  # in memory


class FoldedRows:
    """The rows of one state of the runs; `names` of all runs, in the order of the table."""

    def __init__(self, names: Sequence[str], sub_runs: SubRuns) -> None:
        self.names = sorted(sub_runs.rows)
        count = len(names)
        self.row_of = np.zeros(count, np.int64)
        for row, name in enumerate(self.names):
            self.row_of[sub_runs.rows[name]] = row
        self._is_evaluation = _filled(count, {run: int(role == EVALUATION) for run, role in sub_runs.roles.items()})
        self._ranks = _filled(count, sub_runs.ranks)
        self._versions = _filled(count, sub_runs.versions)
        self.roles = sub_runs.roles
        self.ranks = sub_runs.ranks
        self.versions = sub_runs.versions
        self.sessions = sub_runs.sessions
        self.sizes = np.bincount(self.row_of, minlength=len(self.names))
        # The directory above the others comes first: it is the training itself.
        self._depth = np.array([name != self.names[row] for name, row in zip(names, self.row_of, strict=True)], bool)
        self._orders: dict[Preference, Places] = {}
        self._columns: dict[tuple[int, Preference, str], tuple[Column, Column]] = {}

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def leads(self) -> Places:
        """The run that each row stands for."""
        return self.chosen(np.ones(len(self.row_of), bool), "lead")

    @cached_property
    def members(self) -> list[list[int]]:
        """The runs of each row, its lead first."""
        order = self._order("lead")
        ends = np.cumsum(self.sizes)[:-1]
        return [part.tolist() for part in np.split(order, ends)]

    @cached_property
    def several(self) -> list[int]:
        """The rows of more than one run."""
        rows: list[int] = np.flatnonzero(self.sizes > 1).tolist()
        return rows

    def chosen(self, present: NDArray[np.bool_], preference: Preference) -> Places:
        """The run of each row whose value is shown, of those that have one; -1: none has."""
        order = self._order(preference)
        order = order[present[order]]
        rows = self.row_of[order]
        is_first = np.ones(len(rows), bool)
        is_first[1:] = rows[1:] != rows[:-1]
        places = np.full(len(self.names), -1, np.int64)
        places[rows[is_first]] = order[is_first]
        return places

    def column(self, column: Column, preference: Preference, end: str = "") -> Column:
        """The values of the rows; `end`: `min` or `max` of a curve, which goes through all versions."""
        key = (id(column), preference, end)
        cached = self._columns.get(key)
        if cached is None or cached[0] is not column:
            cached = column, self._fold(column, preference, end)
            self._columns[key] = cached
            while len(self._columns) > _MOST_COLUMNS:
                self._columns.pop(next(iter(self._columns)), None)
        return cached[1]

    def taken(self, column: Column, places: Places) -> Column:
        """The values of some runs, one per row; none for -1."""
        if isinstance(column, NumberColumn):
            is_there = places >= 0
            present = is_there & column.present[places]
            return NumberColumn(column.name, np.where(present, column.numbers[places], np.nan), present)
        values: list[Value | None] = [column.values[place] if place >= 0 else None for place in places.tolist()]
        return Column(column.name, values)

    def _fold(self, column: Column, preference: Preference, end: str) -> Column:
        places = self.chosen(column.present, preference)
        folded = self.taken(column, places)
        if end not in ("min", "max") or not self.versions or not isinstance(folded, NumberColumn):
            return folded
        of_row = places[self.row_of]  # of each run: the one whose value its row shows
        continued = column.present & (of_row >= 0)
        for key in (self._is_evaluation, self._ranks):
            continued &= key == key[of_row]
        numbers = folded.numbers.copy()
        ufunc = np.fmin if end == "min" else np.fmax
        ufunc.at(numbers, self.row_of[continued], column.numbers[continued])
        return NumberColumn(column.name, numbers, folded.present)

    def _order(self, preference: Preference) -> Places:
        order = self._orders.get(preference)
        if order is None:
            versions = self._versions if preference == "lead" else -self._versions
            is_last = self._is_evaluation if preference != "evaluation" else 1 - self._is_evaluation
            keys = (self._depth, self._ranks, versions, is_last, self.row_of)
            if preference == "lead":
                keys = (self._ranks, versions, is_last, self._depth, self.row_of)
            order = self._orders[preference] = np.lexsort(keys)
        return order


def _filled(count: int, values: dict[int, int]) -> NDArray[np.int64]:
    array = np.zeros(count, np.int64)
    if values:
        array[list(values)] = list(values.values())
    return array
