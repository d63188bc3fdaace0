"""Tables of columns: search, sort, pagination and conversion to JSON rows."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

Table = dict[str, NDArray[Any]]  # columns of one length: texts as objects, numbers
ColumnKind = Literal["text", "time", "share", "bytes", "compact", "count"]
Row = dict[str, str | float | None]  # a cell for each column; None where a number is not known


class TableColumn(TypedDict):
    """A column of a table."""

    name: Annotated[str, "Key of its cells in the rows."]
    unit: Annotated[str, "Empty for texts, counts and shares."]
    kind: ColumnKind


_MILLISECONDS: Final = (
    "start",
    "total",
    "self",
    "mean",
    "min",
    "max",
    "device_total",
    "device_self",
    "age",
    "lifetime",
)
_SHARES: Final = ("share", "utilisation")
_BYTES: Final = ("bytes", "kept")
_FLOPS: Final = ("flops", "tflops")


def columns_of(table: Table) -> list[TableColumn]:
    """Name, unit and kind of each column."""
    return [
        {"name": name, "unit": "ms" if name in _MILLISECONDS else "", "kind": _kind(name, column)}
        for name, column in table.items()
    ]


def _kind(name: str, column: NDArray[Any]) -> ColumnKind:
    if column.dtype == object:
        return "text"
    if name in _SHARES:
        return "share"
    if name in _BYTES:
        return "bytes"
    if name in _FLOPS:
        return "compact"
    return "time" if name in _MILLISECONDS else "count"


def matches(search: str, texts: list[NDArray[Any]]) -> NDArray[np.bool_]:
    """Which rows hold every word of the search in one of these columns, in any order, in any case."""
    words = search.lower().split()
    if not words:
        return np.ones(len(texts[0]), np.bool_)
    lines = [" ".join(row).lower() for row in zip(*texts, strict=True)]
    return np.array([all(word in line for word in words) for line in lines], np.bool_)


def page(table: Table, sort: str, offset: int, limit: int | None) -> Table:
    """Some rows, sorted by a column, falling with a minus before its name; raises ValueError for no such column."""
    by = sort.removeprefix("-")
    if by not in table:
        raise ValueError(f"unknown sort column {by}")
    column = table[by]
    if column.dtype == object:
        lower = [text.lower() for text in column]
        column = np.empty(len(lower), np.int64)
        column[sorted(range(len(lower)), key=lower.__getitem__)] = np.arange(len(lower))
    order = np.argsort(-column if sort.startswith("-") else column, kind="stable")
    first = max(offset, 0)
    order = order[first:] if limit is None else order[first : first + max(limit, 0)]
    return {name: values[order] for name, values in table.items()}


def rows_of(table: Table) -> list[Row]:
    """A dictionary for each row."""
    values = [[None if value != value else value for value in column.tolist()] for column in table.values()]
    return [dict(zip(table, row, strict=True)) for row in zip(*values, strict=True)]
