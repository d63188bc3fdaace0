"""Extend the runs with the columns that a request names: pipeline columns, and scalar columns on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mindinsight_like.lineage.query.parser import ColumnNames
from mindinsight_like.lineage.table.scalars.scalar_columns import is_scalar_column

from .run_table import RunTable
from .united_runs import UnitedRuns, UnitedRunTables


@dataclass(frozen=True)
class NamedColumns:
    """The runs with the columns of a request."""

    runs: RunTable
    pending: frozenset[str]  # columns that are still being computed


def with_named_columns(
    tables: UnitedRunTables, united: UnitedRuns, names: Sequence[str], mentioned: Sequence[str]
) -> RunTable:
    """The runs with those of the names that are not among the columns by themselves, complete."""
    return named_columns(tables, united, names, mentioned, wait=True).runs


def named_columns(
    tables: UnitedRunTables, united: UnitedRuns, names: Sequence[str], mentioned: Sequence[str], *, wait: bool
) -> NamedColumns:
    """The same; columns that take long may be pending unless it waits.

    What a query has `mentioned` may be no column at all; what the table knows by a short name keeps that meaning.
    """
    runs = united.runs
    missing = [name for name in names if name not in runs.table]
    if mentioned:
        column_names = ColumnNames(runs.table)
        missing += [name for name in mentioned if not column_names.has(name)]
    spelled = {name.lower(): name for name in runs.pipelines.names} if missing else {}
    stages = {spelled[name.lower()] for name in missing if name.lower() in spelled}
    scalars = [name for name in dict.fromkeys(missing) if is_scalar_column(name)]
    if not stages and not scalars:
        return NamedColumns(runs, frozenset())
    made = united.scalar_columns(tables, scalars, wait=wait)
    columns = made.columns | {name: runs.pipelines.column(name) for name in stages}
    extended = replace(runs, table=runs.table.with_columns(columns), rebuilding=runs.rebuilding | made.rebuilding)
    return NamedColumns(extended, made.pending)
