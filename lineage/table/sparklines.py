"""Small curves of one scalar for the rows of a table, cached until their run changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.store.intact import Intact, read_part
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import Curve

_MOST_CURVES = 20_000  # in memory


class Sparkline(NamedTuple):
    steps: NDArray[np.int64]
    values: NDArray[np.float64]


class Sparklines:
    """One per process; any number of threads may ask."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._cached: OrderedDict[tuple[str, int, str, int], Sparkline | None] = OrderedDict()

    def of_runs(self, runs: Sequence[str], tag: str, points: int) -> Intact[dict[str, Sparkline]]:
        """The curves by run; a run without the scalar has none. Of several writers the one that logged most counts."""
        versions = self._reader.runs.versions(runs)
        keys = {run: (run, version, tag, points) for run, version in zip(runs, versions, strict=True)}
        with self._lock:
            known = {run: self._cached[key] for run, key in keys.items() if key in self._cached}
        missing = [run for run in runs if run not in known]
        read: Intact[list[Curve]] = read_part(
            self._reader, missing, lambda intact: self._reader.scalars(intact, [tag], max_points=points), empty=[]
        )
        drawn: dict[str, Curve] = {}
        for curve in read.answer:
            if curve.run not in drawn or curve.total_points > drawn[curve.run].total_points:
                drawn[curve.run] = curve
        rebuilding = set(read.rebuilding)
        with self._lock:
            for run in missing:
                curve_of_run = drawn.get(run)
                known[run] = None if curve_of_run is None else Sparkline(curve_of_run.steps, curve_of_run.values)
                if run not in rebuilding:
                    self._cached[keys[run]] = known[run]
            while len(self._cached) > _MOST_CURVES:
                self._cached.popitem(last=False)
        return Intact({run: line for run, line in known.items() if line is not None}, read.rebuilding)
