"""Columns that need the points of curves, such as a mean of the last values: computed once per run, in the background.

A run is computed again when it changes. A table shows what is ready and says that the rest is pending.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.lineage.columns import NumberColumn
from mindinsight_like.store.intact import Intact, read_part
from mindinsight_like.store.reader import IndexReader

from .run_table import RunTable
from .scalar_store import same_rows

Compute = Callable[[list[str]], dict[str, float]]

_RUNS_AT_ONCE = 200  # whose curves are in memory together
_MOST_AT_ONCE = 400  # runs that a request computes itself
_MOST_VALUES = 4_000_000  # in memory

_log = logging.getLogger(__name__)


@dataclass
class _Computed:
    """The values of one column, a row per run."""

    ids: list[str]
    revisions: NDArray[np.int64]
    values: NDArray[np.float64]
    present: NDArray[np.bool_]
    is_done: NDArray[np.bool_]
    rebuilding: set[str] = field(default_factory=set)
    thread: threading.Thread | None = None


@dataclass(frozen=True)
class ComputedColumn:
    column: NumberColumn
    rebuilding: frozenset[str]  # runs whose values are missing, since they are damaged in the index
    is_pending: bool  # values of other runs are still being computed


class ComputedColumns:
    """One per process; any number of threads may ask."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._turn = threading.Lock()  # one column at a time: they all read curves
        self._entries: OrderedDict[str, _Computed] = OrderedDict()
        self._progress = 0

    def progress(self) -> int:
        """A number that grows when values have become ready."""
        return self._progress

    def column(self, runs: RunTable, name: str, compute: Compute, *, wait: bool) -> ComputedColumn:
        """The values in the rows of the table; those of many runs are computed in the background unless it waits."""
        with self._lock:
            entry = self._entry(runs, name)
            missing = int((~entry.is_done).sum())
            is_running = entry.thread is not None and entry.thread.is_alive()
            if missing > _MOST_AT_ONCE and not wait and not is_running:
                entry.thread = threading.Thread(
                    target=self._run, args=(entry, compute), name=f"column {name[:50]}", daemon=True
                )
                entry.thread.start()
                is_running = True
        if missing and (wait or not is_running):
            self._fill(entry, compute)
        with self._lock:
            is_pending = not entry.is_done.all() and not entry.rebuilding
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

    def _run(self, entry: _Computed, compute: Compute) -> None:
        try:
            with self._turn:
                self._fill(entry, compute)
        except Exception:
            _log.warning("a column could not be computed", exc_info=True)

    def _fill(self, entry: _Computed, compute: Compute) -> None:
        missing = np.flatnonzero(~entry.is_done)
        for begin in range(0, len(missing), _RUNS_AT_ONCE):
            if not any(entry is each for each in list(self._entries.values())):
                return  # another state of the runs is computed by now, or nobody asked for long
            places = missing[begin : begin + _RUNS_AT_ONCE]
            ids = [entry.ids[place] for place in places.tolist()]
            read: Intact[dict[str, float]] = read_part(self._reader, ids, compute, empty={})
            values = np.array([read.answer.get(run, np.nan) for run in ids])
            present = np.array([run in read.answer for run in ids], bool)
            damaged = set(read.rebuilding)
            with self._lock:
                entry.values[places], entry.present[places] = values, present
                entry.is_done[places] = [run not in damaged for run in ids]
                entry.rebuilding = (entry.rebuilding - set(ids)) | damaged
                self._progress += 1
