"""Columns made of scalars on demand: `scalar/<tag>/last`, `/best`, `/mean:<n>`, `/at:<step>` and kin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mindinsight_like.lineage.columns import Column
from mindinsight_like.lineage.fields.metrics import direction_of
from mindinsight_like.lineage.table.run_table import RunTable
from mindinsight_like.store.reader import IndexReader

from .column_jobs import ColumnJobs
from .computed_columns import ComputedColumns
from .curve_values import required_scalar_name, scalar_name
from .scalar_store import ENDS, ScalarStore


def is_scalar_column(name: str) -> bool:
    """Whether a name is that of a column made of a scalar, be there such a scalar or not."""
    return scalar_name(name) is not None


def tag_of(name: str) -> str:
    """The scalar that a column is made of; empty for other columns."""
    parts = scalar_name(name)
    return "" if parts is None else parts.tag


@dataclass(frozen=True)
class ScalarColumns:
    """Columns by name, and what is missing in them."""

    columns: dict[str, Column] = field(default_factory=dict)
    rebuilding: frozenset[str] = frozenset()  # runs that are damaged in the index
    pending: frozenset[str] = frozenset()  # columns that are still being computed


class ScalarSource:
    """Makes columns of scalars, one per process; any number of threads may ask."""

    def __init__(self, reader: IndexReader, jobs: ColumnJobs | None = None) -> None:
        """`jobs` computes and keeps what takes long; without it that is done here."""
        self.store = ScalarStore(reader)
        self._computed = ComputedColumns(reader, jobs)

    def progress(self) -> object:
        """What is another one when pending values may have become ready."""
        return self._computed.progress()

    def columns(self, runs: RunTable, names: Sequence[str], *, wait: bool = True) -> ScalarColumns:
        """The columns of these names; raises BadParameter. Those that take long may be pending unless it waits."""
        columns: dict[str, Column] = {}
        rebuilding: frozenset[str] = frozenset()
        pending = []
        for name in names:
            parts = required_scalar_name(name)
            how = parts.how if parts.how != "best" else direction_of(parts.tag) or "max"
            if (end := next((each for each in ENDS if each == how), None)) is not None:
                column, missing = self.store.column(runs, parts.tag, end)
                columns[name] = column.renamed(name)
                rebuilding |= missing
            else:
                computed = self._computed.column(runs, name, wait=wait)
                columns[name] = computed.column
                rebuilding |= computed.rebuilding
                pending += [name] if computed.is_pending else []
        return ScalarColumns(columns, rebuilding, frozenset(pending))

    def extend(self, runs: RunTable, names: Sequence[str]) -> RunTable:
        """The table with the columns of these names, complete; raises BadParameter."""
        made = self.columns(runs, names)
        return replace(runs, table=runs.table.with_columns(made.columns), rebuilding=runs.rebuilding | made.rebuilding)
