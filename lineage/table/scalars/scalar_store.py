"""Last, smallest and largest value of scalars over all runs: from the index's statistics, without reading a curve.

A tag is read once; later only the runs that have changed since are.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import Rebuilding
from mindinsight_like.lineage.columns import NumberColumn
from mindinsight_like.lineage.table.run_table import RunTable
from mindinsight_like.store.intact import Intact, read_part
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import ScalarEndColumns, ScalarEnds

End = Literal["last", "min", "max"]
ENDS: tuple[End, ...] = ("last", "min", "max")

_MOST_VALUES = 12_000_000  # in memory


@dataclass
class _TagEnds:
    """The values of one tag, a row per run."""

    ids: list[str]
    revisions: NDArray[np.int64]
    values: NDArray[np.float64]  # columns as in ENDS
    present: NDArray[np.bool_]
    rebuilding: frozenset[str]  # runs whose values are missing, since they are damaged in the index
    columns: dict[End, NumberColumn] = field(default_factory=dict)


class ScalarStore:
    """Columns of scalars, one per process; any number of threads may ask."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._tags: OrderedDict[str, _TagEnds] = OrderedDict()

    def column(self, runs: RunTable, tag: str, end: End) -> tuple[NumberColumn, frozenset[str]]:
        """The values of a scalar in the rows of the table, and the runs whose value is missing."""
        ends = self._ends(runs, tag)
        column = ends.columns.get(end)
        if column is None:
            column = ends.columns[end] = NumberColumn(
                f"scalar/{tag}/{end}", np.ascontiguousarray(ends.values[:, ENDS.index(end)]), ends.present
            )
        return column, ends.rebuilding

    def prefetch(self, runs: RunTable, tags: Sequence[str]) -> None:
        """Read several scalars at once that nobody has asked for yet."""
        with self._lock:
            new = [tag for tag in dict.fromkeys(tags) if tag not in self._tags]
        try:
            read = self._reader.scalar_ends.of_tags(new)
        except Rebuilding:
            return  # each is read when it is asked for, without the runs that are damaged
        for tag, columns in read.items():
            self._keep(tag, self._read(runs, tag, None, columns))

    def _ends(self, runs: RunTable, tag: str) -> _TagEnds:
        with self._lock:
            old = self._tags.get(tag)
            if old is not None:
                self._tags.move_to_end(tag)
        if old is not None and old.ids is runs.ids and old.revisions is runs.revisions and not old.rebuilding:
            return old
        ends = self._read(runs, tag, old)
        self._keep(tag, ends)
        return ends

    def _keep(self, tag: str, ends: _TagEnds) -> None:
        with self._lock:
            self._tags[tag] = ends
            while len(self._tags) > 1 and sum(each.values.size for each in self._tags.values()) > _MOST_VALUES:
                self._tags.popitem(last=False)

    def _read(
        self, runs: RunTable, tag: str, old: _TagEnds | None, read_before: ScalarEndColumns | None = None
    ) -> _TagEnds:
        values = np.full((len(runs.ids), len(ENDS)), np.nan)
        present = np.zeros(len(runs.ids), bool)
        if old is None:
            missing = self._read_all(runs, tag, values, present, read_before)
        else:
            places = same_rows(runs, old.ids, old.revisions, without=old.rebuilding)
            is_same = places >= 0
            values[is_same], present[is_same] = old.values[places[is_same]], old.present[places[is_same]]
            missing = np.flatnonzero(~is_same)
        ids = [runs.ids[place] for place in missing.tolist()]
        read: Intact[dict[str, dict[str, ScalarEnds]]] = read_part(
            self._reader, ids, lambda intact: self._reader.scalar_ends.of_runs(intact, [tag]), empty={}
        )
        rows = [place for place, run in zip(missing.tolist(), ids, strict=True) if tag in read.answer.get(run, ())]
        if rows:
            values[rows] = [read.answer[runs.ids[place]][tag] for place in rows]
            present[rows] = True
        columns = {}
        if old is not None and old.ids is runs.ids and not rows and not old.present[missing].any():
            columns = old.columns  # no run that has the tag has changed
        return _TagEnds(runs.ids, runs.revisions, values, present, frozenset(read.rebuilding), columns)

    def _read_all(
        self,
        runs: RunTable,
        tag: str,
        values: NDArray[np.float64],
        present: NDArray[np.bool_],
        read_before: ScalarEndColumns | None,
    ) -> NDArray[np.int64]:
        """Fill the rows of all runs but some, whose places it gives: one statement instead of one per few runs."""
        try:
            columns = read_before or self._reader.scalar_ends.of_tags([tag])[tag]
        except Rebuilding:
            return np.arange(len(runs.ids))
        places = np.array([runs.places.get(run, -1) for run in columns.runs], np.int64)
        known = places >= 0  # another may have begun since the table was made
        values[places[known]], present[places[known]] = columns.ends[known], True
        return np.array([runs.places[run] for run in columns.unclear if run in runs.places], np.int64)


def same_rows(
    runs: RunTable, ids: list[str], revisions: NDArray[np.int64], *, without: frozenset[str] = frozenset()
) -> NDArray[np.int64]:
    """For each row of the table the place it had in an earlier one with these ids; -1 where it is not the same."""
    if runs.ids is ids:
        places = np.arange(len(ids))
    else:
        earlier = {run: place for place, run in enumerate(ids)}
        places = np.array([earlier.get(run, -1) for run in runs.ids], np.int64)
    known = places >= 0
    places[known] = np.where(revisions[places[known]] == runs.revisions[known], places[known], -1)
    for run in without:
        if (place := runs.places.get(run)) is not None:
            places[place] = -1
    return places
