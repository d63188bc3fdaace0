"""Search a table: rows that match a query and conditions, sorted, and descriptions of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import BadParameter
from mindinsight_like.lineage.columns import ColumnType, SortKey, Table, Value

from .conditions import All, Condition, columns_of, evaluate, from_json
from .lexer import tokens
from .parser import parse
from .type_mismatches import Mismatch, mismatches

# Columns of MindInsight that have no group of their own in their names.
_GROUPS = {
    "run": "run", "labels": "run", "note": "run", "created_at": "run", "updated_at": "run", "dialects": "run",
    "duration": "run", "state": "run", "started_at": "run", "ended_at": "run", "last_activity": "run",
    "progress": "run", "exit_reason": "run",
    "display_name": "run", "owner": "run", "project": "run",
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
    name = name.removeprefix("mindspore/")
    head, slash, _ = name.partition("/")
    return head if slash and head in GROUPS else _GROUPS.get(name, otherwise)


def label_of(name: str) -> str:
    """The name without its group."""
    group, slash, rest = name.partition("/")
    return rest if slash and group in GROUPS else name


def column_infos(table: Table, names: Sequence[str], *, otherwise: str = "model") -> list[ColumnInfo]:
    """The columns, ordered by group and as they came; `otherwise` is the group of names that tell none."""
    infos = [
        ColumnInfo(
            name,
            label_of(name),
            group_of(name, otherwise),
            table.column(name).type,
            table.column(name).count,
        )
        for name in names
    ]
    return sorted(infos, key=lambda each: GROUPS.index(each.group))


def mentioned_names(query: str) -> list[str]:
    """All that a query may mean by columns, also what there is none of."""
    return list(dict.fromkeys(each.text.strip("`") for each in tokens(query)))


def matching_rows(table: Table, *, query: str = "", where: object = None, sort: str = "") -> NDArray[np.int64]:
    """The places of the rows that match both query and conditions, in the order asked for; raises BadParameter."""
    if not len(table):
        return np.zeros(0, np.int64)  # no rows, no columns that could be named
    mask = evaluate(_condition(table, query, where), table)
    if not sort:
        return np.flatnonzero(mask)
    order = table.order_by(sort_keys(table, sort))
    return order[mask[order]]


def sort_keys(table: Table, sort: str) -> list[SortKey]:
    """The columns of a list such as `-metric/accuracy,run`; raises BadParameter.

    Names may have commas, too: the longest name of a column is taken.
    """
    keys = []
    parts = sort.split(",")
    while parts:
        for length in range(len(parts), 0, -1):
            name = ",".join(parts[:length])
            if name.removeprefix("-") in table or length == 1:
                break
        _require_column(name.removeprefix("-"), table, "sort")
        keys.append(SortKey(name.removeprefix("-"), descending=name.startswith("-")))
        parts = parts[length:]
    return keys


def type_mismatches(table: Table, *, query: str = "", where: object = None) -> list[Mismatch]:
    """Comparisons of query and conditions that never match because the types differ; raises BadParameter."""
    return mismatches(_condition(table, query, where), table) if len(table) else []


def sort_names(sort: str) -> list[str]:
    """All that a list of columns to sort by may name: names may have commas, too."""
    parts = sort.split(",")
    ends = range(1, len(parts) + 1)
    return [",".join(parts[begin:end]).removeprefix("-") for begin in range(len(parts)) for end in ends if end > begin]


def _condition(table: Table, query: str, where: object) -> Condition:
    condition = from_json(where)
    for name in columns_of(condition):
        _require_column(name, table, "where")
    return All((parse(query, table), condition))


def _require_column(name: str, table: Table, parameter: str) -> None:
    if name not in table:
        raise BadParameter(f"{parameter}: unknown column {name[:200]!r}.", parameter=parameter)


def values_at(table: Table, names: Sequence[str], place: int) -> dict[str, Value]:
    """What one row has in some columns."""
    return {name: value for name in names if (value := table.column(name).at(place)) is not None}
