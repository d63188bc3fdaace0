"""The table of runs with every column that a request names: of models, data processing, and scalars on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .query_text import ColumnNames
from .run_table import RunTable, RunTables
from .scalar_columns import ScalarColumns, is_scalar_column


def with_named_columns(tables: RunTables, names: Sequence[str], mentioned: Sequence[str]) -> RunTable:
    """The table as it is now, with those of the names that are not in it by themselves.

    What a query has `mentioned` may be no column at all; what the table knows by a short name keeps that meaning.
    """
    found = tables.get()
    missing = [name for name in names if name not in found.table]
    if mentioned:
        known = ColumnNames(found.table.names)
        missing += [name for name in mentioned if not known.has(name)]
    spelled = {name.lower(): name for name in found.pipelines.names} if missing else {}
    stages = {spelled[name.lower()] for name in missing if name.lower() in spelled}
    scalars = [name for name in dict.fromkeys(missing) if is_scalar_column(name)]
    if not stages and not scalars:
        return found
    table = ScalarColumns(tables.reader, found).added(scalars)
    return replace(found, table=table.with_columns({name: found.pipelines.column(name).values for name in stages}))
