"""Tables of columns: searched, sorted, cut into pages, and handed out as rows for JSON."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Table = dict[str, NDArray[Any]]  # columns of one length: texts as objects, numbers

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


def columns_of(table: Table) -> list[dict[str, str]]:
    """Name, unit and kind ("text", "time", "share", "bytes", "compact", "count") of each column."""
    return [
        {"name": name, "unit": "ms" if name in _MILLISECONDS else "", "kind": _kind(name, column)}
        for name, column in table.items()
    ]


def _kind(name: str, column: NDArray[Any]) -> str:
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
        raise ValueError(f"there is no column {by} to sort by")
    column = table[by]
    if column.dtype == object:
        lower = [text.lower() for text in column]
        column = np.empty(len(lower), np.int64)
        column[sorted(range(len(lower)), key=lower.__getitem__)] = np.arange(len(lower))
    order = np.argsort(-column if sort.startswith("-") else column, kind="stable")
    first = max(offset, 0)
    order = order[first:] if limit is None else order[first : first + max(limit, 0)]
    return {name: values[order] for name, values in table.items()}


def rows_of(table: Table) -> list[dict[str, Any]]:
    """A dictionary for each row; None where a number is not known."""
    values = [[None if value != value else value for value in column.tolist()] for column in table.values()]
    return [dict(zip(table, row, strict=True)) for row in zip(*values, strict=True)]
