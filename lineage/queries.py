"""Rows of a table that match a query, sorted, a window of them at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import BadParameter

from .columns import ColumnType, Table, Value
from .conditions import All, Condition, columns_of, from_json, kept
from .mismatches import Mismatch, mismatches
from .query_text import parse
from .query_tokens import tokens

# Columns of MindInsight that have no group of their own in their names.
_GROUPS = {
    "run": "run", "labels": "run", "note": "run", "created_at": "run", "updated_at": "run", "dialects": "run",
    "bytes": "run", "train_dataset_path": "data", "train_dataset_count": "data", "test_dataset_path": "data",
    "test_dataset_count": "data", "dataset_mark": "data", "loss": "metric",
}  # fmt: skip
GROUPS = ("run", "metric", "model", "hparam", "user_defined", "data", "scalar", "code", "environment", "pipeline")


@dataclass(frozen=True)
class ColumnInfo:
    name: str
    label: str
    group: str
    type: ColumnType
    count: int  # rows with a value


def group_of(name: str, otherwise: str = "model") -> str:
    """Which kind of column it is; what MindInsight calls model lineage has no group in its name."""
    head, slash, _ = name.partition("/")
    return head if slash and head in GROUPS else _GROUPS.get(name, otherwise)


def described(table: Table, names: Sequence[str], *, otherwise: str = "model") -> list[ColumnInfo]:
    """The columns, ordered by group and as they came; `otherwise` is the group of names that tell none."""
    found = [
        ColumnInfo(
            name,
            name.partition("/")[2] if "/" in name and name.partition("/")[0] in GROUPS else name,
            group_of(name, otherwise),
            table.column(name).type,
            table.column(name).count,
        )
        for name in names
    ]
    return sorted(found, key=lambda each: GROUPS.index(each.group))


def mentioned(query: str) -> list[str]:
    """All that a query may mean by columns, also what there is none of."""
    return list(dict.fromkeys(each.text.strip("`") for each in tokens(query)))


def matching(table: Table, *, query: str = "", where: object = None, sort: str = "") -> NDArray[np.int64]:
    """The places of the rows that match both query and conditions, in the order asked for; raises BadParameter."""
    if not len(table):
        return np.zeros(0, np.int64)  # no rows, no columns that could be named
    mask = kept(_condition(table, query, where), table)
    if not sort:
        return np.flatnonzero(mask)
    name = sort.removeprefix("-")
    _known(name, table, "sort")
    order = table.order(name, descending=sort.startswith("-"))
    return order[mask[order]]


def in_vain(table: Table, *, query: str = "", where: object = None) -> list[Mismatch]:
    """What of query and conditions never matches, as a column holds values of another kind; raises BadParameter."""
    return mismatches(_condition(table, query, where), table) if len(table) else []


def _condition(table: Table, query: str, where: object) -> Condition:
    condition = from_json(where)
    for name in columns_of(condition):
        _known(name, table, "where")
    return All((parse(query, table.names), condition))


def _known(name: str, table: Table, parameter: str) -> None:
    if name not in table:
        raise BadParameter(f"{parameter}: there is no column {name[:200]!r}.", parameter=parameter)


def values_at(table: Table, names: Sequence[str], place: int) -> dict[str, Value]:
    """What one row has in some columns."""
    return {name: value for name in names if (value := table.column(name).values[place]) is not None}
