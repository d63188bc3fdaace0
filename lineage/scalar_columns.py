"""Columns made of scalars on demand: `scalar/<tag>/last`, `/min`, `/max`, `/mean`, or `/at:max:<other tag>`."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from mindinsight_like.errors import BadParameter
from mindinsight_like.store.reading import IndexReader
from mindinsight_like.store.segments import Floats

from .columns import Table, Value
from .run_table import RunTable

_NAME = re.compile(r"scalar/(?P<tag>.+)/(?P<how>last|min|max|mean|at:(?:min|max):.+)", re.DOTALL)
_RUNS_AT_ONCE = 200  # whose curves are in memory together
_MOST_KEPT = 500_000  # values; to make them again takes long

_Key = tuple[str, int, str]  # run, its version, column
_kept: OrderedDict[_Key, Value | None] = OrderedDict()
_lock = threading.Lock()


def is_scalar_column(name: str) -> bool:
    """Whether a name is that of a column made of a scalar, be there such a scalar or not."""
    return _NAME.fullmatch(name) is not None


class ScalarColumns:
    """Adds columns of scalars to the table of runs."""

    def __init__(self, reader: IndexReader, runs: RunTable) -> None:
        self._reader = reader
        self._runs = runs

    def added(self, names: Sequence[str]) -> Table:
        """The table with the columns of these names; raises BadParameter."""
        return self._runs.table.with_columns({name: self._column(name) for name in names})

    def _column(self, name: str) -> list[Value | None]:
        match = _NAME.fullmatch(name)
        if match is None:
            known = "scalar/<tag>/last, /min, /max, /mean, /at:min:<other tag> and /at:max:<other tag>"
            raise BadParameter(f"There is no column {name[:200]!r}; of scalars there are {known}.")
        tag, how = match["tag"], match["how"]
        ids = self._runs.ids
        keys = [(run, version, name) for run, version in zip(ids, self._reader.versions(ids), strict=True)]
        with _lock:
            found = {key: _kept[key] for key in keys if key in _kept}
        missing = [key for key in keys if key not in found]
        for begin in range(0, len(missing), _RUNS_AT_ONCE):
            part = missing[begin : begin + _RUNS_AT_ONCE]
            values = self._read([run for run, _, _ in part], tag, how)
            found |= {key: values.get(key[0]) for key in part}
        with _lock:
            for key in missing:
                _kept[key] = found[key]
            while len(_kept) > _MOST_KEPT:
                _kept.popitem(last=False)
        return [found[key] for key in keys]

    def _read(self, runs: list[str], tag: str, how: str) -> dict[str, Value]:
        if how in ("last", "min", "max"):
            summaries = self._reader.scalar_summaries(runs, [tag])
            field = "last_value" if how == "last" else how
            return {
                run: value
                for run in runs
                if (value := getattr(summaries.get(run, {}).get(tag), field, None)) is not None
            }
        if how == "mean":
            curves = self._reader.scalars(runs, [tag], max_points=None)
            finite = {curve.run: curve.values[np.isfinite(curve.values)] for curve in reversed(curves)}
            return {run: float(values.mean()) for run, values in finite.items() if len(values)}
        _, best, other = how.split(":", 2)
        curves = self._reader.scalars(runs, [other, tag], max_points=None)
        judged = {curve.run: curve for curve in reversed(curves) if curve.tag == other}
        found: dict[str, Value] = {}
        for curve in reversed(curves):
            judge = judged.get(curve.run)
            if curve.tag != tag or judge is None or not np.isfinite(judge.values).any():
                continue
            place = np.nanargmax(_finite(judge.values)) if best == "max" else np.nanargmin(_finite(judge.values))
            # The value that was the newest at that step.
            at = int(np.searchsorted(curve.steps, judge.steps[place], side="right")) - 1
            if at >= 0:
                found[curve.run] = float(curve.values[at])
        return found


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)
