"""Export the lineage table as CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from mindinsight_like.lineage.columns import Column, Table, Value, as_text
from mindinsight_like.tables.json_numbers import number

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def as_csv(table: Table, names: Sequence[str], rows: Sequence[int]) -> bytes:
    """One line per row under a line of column names; what a spreadsheet would run as a formula is marked as text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_safe(name) for name in names])
    columns = [table.column(name).values for name in names]
    writer.writerows([_cell(values[row]) for values in columns] for row in rows)
    return out.getvalue().encode()


def as_json(table: Table, names: Sequence[str], rows: Sequence[int]) -> bytes:
    """A list of objects, columns without a value left out."""
    columns = {name: table.column(name).values for name in names}
    records = [
        {name: _json(values[row]) for name, values in columns.items() if values[row] is not None} for row in rows
    ]
    return orjson.dumps(records, option=orjson.OPT_INDENT_2)


def as_parquet(table: Table, names: Sequence[str], rows: Sequence[int]) -> bytes:
    """Typed columns; those of mixed types are texts."""
    import pyarrow as pa
    import pyarrow.parquet

    out = pa.BufferOutputStream()
    types = {"int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
    columns = {
        name: pa.array(_typed(table.column(name), rows), types.get(table.column(name).type, pa.string()))
        for name in names
    }
    pyarrow.parquet.write_table(pa.table(columns), out)
    data: bytes = out.getvalue().to_pybytes()
    return data


EXPORTS: dict[str, tuple[str, Callable[[Table, Sequence[str], Sequence[int]], bytes]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "json": ("application/json", as_json),
    "parquet": ("application/vnd.apache.parquet", as_parquet),
}


def _typed(column: Column, rows: Sequence[int]) -> list[Any]:
    chosen = [column.values[row] for row in rows]
    if column.type == "mixed":
        return [None if value is None else as_text(value) for value in chosen]
    return chosen


def _cell(value: Value | None) -> str:
    if isinstance(value, float) and isinstance(text := number(value), str):
        return text
    return _safe(as_text(value)) if isinstance(value, str) else as_text(value)


def _safe(text: str) -> str:
    return "'" + text if text.startswith(_FORMULA_STARTS) else text


def _json(value: Value | None) -> object:
    return number(value) if isinstance(value, float) else value
