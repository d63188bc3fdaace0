"""Columns that need the points of curves, such as a mean of the last values: computed once per run.

A run is computed again when it changes: a few at once, many as a job, whose values are kept on disk. A table shows what
is ready and says that the rest is pending.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.lineage.columns import NumberColumn
from mindinsight_like.lineage.table.run_table import RunTable
from mindinsight_like.store.intact import Intact, read_part
from mindinsight_like.store.reader import IndexReader

from .column_jobs import ColumnFolder, ColumnJobs
from .curve_values import read_values
from .scalar_store import same_rows

_RUNS_AT_ONCE = 200  # whose curves are in memory together
_MOST_AT_ONCE = 400  # runs that a request computes itself
_MOST_VALUES = 4_000_000  # in memory


@dataclass
class _Computed:
    """The values of one column, a row per run."""

    ids: list[str]
    revisions: NDArray[np.int64]
    values: NDArray[np.float64]
    present: NDArray[np.bool_]
    is_done: NDArray[np.bool_]
    rebuilding: set[str] = field(default_factory=set)
    file: object = None  # the state of the file whose values are taken over


@dataclass(frozen=True)
class ComputedColumn:
    column: NumberColumn
    rebuilding: frozenset[str]  # runs whose values are missing, since they are damaged in the index
    is_pending: bool  # values of other runs are still being computed


class ComputedColumns:
    """One per process; any number of threads may ask."""

    def __init__(self, reader: IndexReader, jobs: ColumnJobs | None = None) -> None:
        self._reader = reader
        self._jobs = jobs
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, _Computed] = OrderedDict()
        self._pending: dict[str, ColumnFolder] = {}

    def progress(self) -> object:
        """What is another one when values have become ready that a response said are pending."""
        pending = list(self._pending.items())
        return tuple((name, job.values_state(), job.ended_at) for name, job in pending)

    def column(self, runs: RunTable, name: str, *, wait: bool) -> ComputedColumn:
        """The values in the rows of the table; those of many runs are computed as a job unless it waits."""
        with self._lock:
            entry = self._entry(runs, name)
        self._take_stored(entry, name)
        if self._jobs is not None and _missing(entry) > _MOST_AT_ONCE:
            self._jobs.ask(name)
            if wait:
                self._jobs.wait(name)
                self._take_stored(entry, name)
        is_job = self._jobs is not None and _missing(entry) > _MOST_AT_ONCE
        if wait or not is_job:
            self._fill(entry, name)
        with self._lock:
            is_pending = not entry.is_done.all() and not entry.rebuilding
            if is_pending and self._jobs is not None:
                self._pending[name] = self._jobs.folder(name)
            else:
                self._pending.pop(name, None)
            column = NumberColumn(name, entry.values.copy(), entry.present.copy())
            return ComputedColumn(column, frozenset(entry.rebuilding), is_pending)

    def _entry(self, runs: RunTable, name: str) -> _Computed:
        entry = self._entries.get(name)
        if entry is None or entry.ids is not runs.ids or entry.revisions is not runs.revisions:
            old, rows = entry, len(runs.ids)
            entry = _Computed(
                runs.ids, runs.revisions, np.full(rows, np.nan), np.zeros(rows, bool), np.zeros(rows, bool)
            )
            if old is not None:
                places = same_rows(runs, old.ids, old.revisions)
                same = np.flatnonzero(places >= 0)
                for new_values, old_values in (
                    (entry.values, old.values),
                    (entry.present, old.present),
                    (entry.is_done, old.is_done),
                ):
                    new_values[same] = old_values[places[same]]
            self._entries[name] = entry
        self._entries.move_to_end(name)
        while len(self._entries) > 1 and sum(each.values.size for each in self._entries.values()) > _MOST_VALUES:
            self._entries.popitem(last=False)
        return entry

    def _take_stored(self, entry: _Computed, name: str) -> None:
        """Take over what jobs have computed, of runs that have not changed since."""
        if self._jobs is None or not _missing(entry):
            return
        job = self._jobs.folder(name)
        state = job.values_state()
        if state is None or state == entry.file:
            return
        stored = job.values()
        if stored is None:
            return
        missing = np.flatnonzero(~entry.is_done)
        ids = [entry.ids[place] for place in missing.tolist()]
        rows = np.array([stored.places.get(run, -1) for run in ids], np.int64)
        missing, rows = missing[rows >= 0], rows[rows >= 0]
        versions = np.array(self._reader.runs.versions([entry.ids[place] for place in missing.tolist()]), np.int64)
        is_current = stored.versions[rows] == versions
        places, rows = missing[is_current], rows[is_current]
        with self._lock:
            entry.values[places], entry.present[places] = stored.values[rows], stored.present[rows]
            entry.is_done[places] = True
            entry.file = state

    def _fill(self, entry: _Computed, name: str) -> None:
        missing = np.flatnonzero(~entry.is_done)
        for begin in range(0, len(missing), _RUNS_AT_ONCE):
            places = missing[begin : begin + _RUNS_AT_ONCE]
            ids = [entry.ids[place] for place in places.tolist()]
            read: Intact[dict[str, float]] = read_part(
                self._reader, ids, lambda intact: read_values(self._reader, name, intact), empty={}
            )
            values = np.array([read.answer.get(run, np.nan) for run in ids])
            present = np.array([run in read.answer for run in ids], bool)
            damaged = set(read.rebuilding)
            with self._lock:
                entry.values[places], entry.present[places] = values, present
                entry.is_done[places] = [run not in damaged for run in ids]
                entry.rebuilding = (entry.rebuilding - set(ids)) | damaged


def _missing(entry: _Computed) -> int:
    return int((~entry.is_done).sum())
