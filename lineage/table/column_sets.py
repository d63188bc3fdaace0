"""Named sets of columns with sort and groups: built-in ones, and those that people save for everyone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mindinsight_like.errors import BadParameter
from mindinsight_like.lineage.query.search import group_of
from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.annotations.shared_items import SharedItem, SharedItems

from .main_metric import MainMetric, metric_columns
from .run_facts import DURATION
from .run_table import MARK, UPDATED
from .united_runs import UnitedRuns

BUILT_IN_SETS: Final = ("models", "data", "hparams", "compare")
_MOST_COLUMNS = 60  # of a built-in set
_MOST_LISTED = 2_000


class ColumnSets:
    """The sets of a board; any number of processes may change them."""

    def __init__(self, annotations: Annotations) -> None:
        self._items = SharedItems(annotations, "columns")

    def saved(self) -> list[SharedItem]:
        return self._items.all()

    def put(
        self, name: str, columns: Sequence[str], *, sort: str, group_by: Sequence[str], version: int | None
    ) -> SharedItem:
        """Save a set, in the place of one of that name; raises BadParameter, Conflict."""
        if name in BUILT_IN_SETS:
            raise BadParameter(f"{name} is the name of a built-in set; use another name.", parameter="name")
        if len(columns) + len(group_by) > _MOST_LISTED:
            raise BadParameter(f"A set has at most {_MOST_LISTED:,} columns.", parameter="columns")
        content = {"columns": list(columns), "sort": sort, "group_by": list(group_by)}
        return self._items.put(name, content, version=version)

    def delete(self, name: str, *, version: int | None) -> None:
        """Delete a saved set; raises NotFound, Conflict."""
        self._items.delete(name, version=version)


def built_in_columns(name: str, united: UnitedRuns, metric: MainMetric | None) -> list[str]:
    """The columns of a built-in set for the runs there are."""
    table, inventory = united.table, united.inventory
    metrics = [] if metric is None else [metric.column]
    recorded = [each for each in metric_columns(table) if each not in metrics and inventory.column(each).count]

    def of_groups(*groups: str) -> list[str]:
        names = [each for each in table.names if (table.groups.get(each) or group_of(each)) in groups]
        return [each for each in names if each not in table.repeated and each not in metrics]

    if name == "models":
        columns = [*metrics, *recorded[:4], *of_groups("model", "hparam", "user_defined"), DURATION, UPDATED]
    elif name == "data":
        columns = [*of_groups("data"), *([MARK] if MARK in table else []), *united.plain.pipelines.names]
        columns = [each for each in columns if each != "run"]
    elif name == "hparams":
        columns = [*metrics, *recorded[:2], *of_groups("hparam"), DURATION]
    else:
        columns = [*metrics, *recorded[:12], UPDATED]
    return list(dict.fromkeys(columns))[:_MOST_COLUMNS]


def content(item: SharedItem) -> dict[str, Any]:
    """The columns, sort and groups of a saved set, whatever version of this program wrote it."""
    columns, groups = item.content.get("columns", []), item.content.get("group_by", [])
    return {
        "columns": [str(each) for each in columns] if isinstance(columns, list) else [],
        "sort": str(item.content.get("sort", "")),
        "group_by": [str(each) for each in groups] if isinstance(groups, list) else [],
    }
