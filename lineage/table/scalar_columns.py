"""Columns made of scalars on demand: `scalar/<tag>/last`, `/best`, `/mean:<n>`, `/at:<step>` and kin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from mindinsight_like.errors import BadParameter
from mindinsight_like.lineage.columns import Column
from mindinsight_like.lineage.fields.metrics import direction_of
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import Curve
from mindinsight_like.store.segments.segments import Floats
from mindinsight_like.store.series.alignment import newest_points

from .computed_columns import ComputedColumns
from .run_table import RunTable
from .scalar_store import ENDS, ScalarStore

_NAME = re.compile(
    r"scalar/(?P<tag>.+)/(?P<how>last|min|max|best|mean(?::[1-9]\d{0,6})?|at:-?\d{1,18}|at:(?:min|max):.+)", re.DOTALL
)


def is_scalar_column(name: str) -> bool:
    """Whether a name is that of a column made of a scalar, be there such a scalar or not."""
    return _NAME.fullmatch(name) is not None


def tag_of(name: str) -> str:
    """The scalar that a column is made of; empty for other columns."""
    match = _NAME.fullmatch(name)
    return "" if match is None else match["tag"]


@dataclass(frozen=True)
class ScalarColumns:
    """Columns by name, and what is missing in them."""

    columns: dict[str, Column] = field(default_factory=dict)
    rebuilding: frozenset[str] = frozenset()  # runs that are damaged in the index
    pending: frozenset[str] = frozenset()  # columns that are still being computed


class ScalarSource:
    """Makes columns of scalars, one per process; any number of threads may ask."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader
        self.store = ScalarStore(reader)
        self._computed = ComputedColumns(reader)

    def progress(self) -> int:
        """A number that grows when pending values have become ready."""
        return self._computed.progress()

    def columns(self, runs: RunTable, names: Sequence[str], *, wait: bool = True) -> ScalarColumns:
        """The columns of these names; raises BadParameter. Those that take long may be pending unless it waits."""
        columns: dict[str, Column] = {}
        rebuilding: frozenset[str] = frozenset()
        pending = []
        for name in names:
            match = _NAME.fullmatch(name)
            if match is None:
                forms = "last, min, max, best, mean, mean:<points>, at:<step>, at:min:<other tag> or at:max:<other tag>"
                raise BadParameter(
                    f"unknown column {name[:200]!r}; scalar columns are scalar/<tag>/ and one of {forms}"
                )
            tag, how = match["tag"], match["how"]
            if how == "best":
                how = direction_of(tag) or "max"
            if (end := next((each for each in ENDS if each == how), None)) is not None:
                column, missing = self.store.column(runs, tag, end)
                columns[name] = column.renamed(name)
                rebuilding |= missing
            else:
                computed = self._computed.column(runs, name, partial(self._read, tag, how), wait=wait)
                columns[name] = computed.column
                rebuilding |= computed.rebuilding
                pending += [name] if computed.is_pending else []
        return ScalarColumns(columns, rebuilding, frozenset(pending))

    def extend(self, runs: RunTable, names: Sequence[str]) -> RunTable:
        """The table with the columns of these names, complete; raises BadParameter."""
        made = self.columns(runs, names)
        return replace(runs, table=runs.table.with_columns(made.columns), rebuilding=runs.rebuilding | made.rebuilding)

    def _read(self, tag: str, how: str, runs: list[str]) -> dict[str, float]:
        """The values of runs that have one."""
        if how.startswith(("at:min:", "at:max:")):
            _, best, other = how.split(":", 2)
            return self._at_best(tag, other, best, runs)
        form, _, number = how.partition(":")
        reduce = _mean if form == "mean" else _at_step
        curves = self._reader.scalars(runs, [tag], max_points=None)
        values = {curve.run: reduce(curve, int(number or 0)) for curve in reversed(curves)}
        return {run: value for run, value in values.items() if value is not None}

    def _at_best(self, tag: str, other: str, best: str, runs: list[str]) -> dict[str, float]:
        """The value of a scalar where another one was best."""
        curves = self._reader.scalars(runs, [other, tag], max_points=None)
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
