"""Named sets of columns with sort and groups: built-in ones, and those that people save for everyone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mindinsight_like.errors import BadParameter
from mindinsight_like.lineage.fields.metrics import is_plain
from mindinsight_like.lineage.query.search import group_of
from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.annotations.shared_items import SharedItem, SharedItems

from .main_metric import MainMetric, metric_columns
from .run_facts import DURATION
from .run_table import LABELS, MARK, NOTE, UPDATED
from .united_runs import UnitedRuns

BUILT_IN_SETS: Final = ("models", "data", "hparams", "compare")
_MOST_COLUMNS = 60  # of a built-in set
_MOST_LISTED = 2_000
_HOW_IT_RUNS = (".connector_queue_size", ".num_parallel_workers")


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
    """The columns of a built-in set for the runs there are: what differs between runs comes first."""
    table, inventory = united.table, united.inventory
    metrics = [] if metric is None else [metric.column]
    recorded = [each for each in metric_columns(table) if each not in metrics and inventory.column(each).count]
    plain = [each for each in recorded if each in table.fields or is_plain(each)]

    def of_groups(*groups: str) -> list[str]:
        names = [each for each in table.names if (table.groups.get(each) or group_of(each)) in groups]
        filled = [each for each in names if inventory.column(each).count]
        return [each for each in filled if each not in table.repeated and each not in metrics and each != MARK]

    def differing_first(names: list[str]) -> list[str]:
        return sorted(names, key=lambda each: inventory.column(each).is_constant)  # stable

    if name == "models":
        parameters = differing_first(of_groups("model", "hparam", "user_defined", "data"))
        columns = [*metrics, *plain[:4], LABELS, NOTE, *parameters, DURATION, UPDATED]
    elif name == "data":
        stages = [each for each in inventory.stages if _is_telling_stage(each)]
        columns = [*built_in_groups(name, united), *metrics, *differing_first([*of_groups("data"), *stages])]
        columns += [LABELS, NOTE]
    elif name == "hparams":
        columns = [*metrics, *plain[:2], *differing_first(of_groups("hparam")), DURATION]
    else:
        columns = [*metrics, *recorded[:12], UPDATED]
    return list(dict.fromkeys(columns))[:_MOST_COLUMNS]


def built_in_groups(name: str, united: UnitedRuns) -> list[str]:
    """By what a built-in set groups runs: data by their pipelines, where there are any."""
    return [MARK] if name == "data" and MARK in united.table else []


def _is_telling_stage(name: str) -> bool:
    """A parameter of an operator, but not how it is run."""
    return "." in name and not name.endswith(_HOW_IT_RUNS)


def content(item: SharedItem) -> dict[str, Any]:
    """The columns, sort and groups of a saved set, whatever version of this program wrote it."""
    columns, groups = item.content.get("columns", []), item.content.get("group_by", [])
    return {
        "columns": [str(each) for each in columns] if isinstance(columns, list) else [],
        "sort": str(item.content.get("sort", "")),
        "group_by": [str(each) for each in groups] if isinstance(groups, list) else [],
    }
