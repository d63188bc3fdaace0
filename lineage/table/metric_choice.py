"""The main metric that people have chosen, kept with the user data of the board."""

from __future__ import annotations

from mindinsight_like.errors import BadParameter
from mindinsight_like.lineage.fields.names import scalar_column
from mindinsight_like.lineage.fields.rules import Direction
from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.annotations.shared_items import SharedItems

from . import main_metric
from .main_metric import MainMetric
from .united_runs import UnitedRuns

_NAME = "main metric"
_MOST_CHARACTERS = 4_000


class MetricChoice:
    """One for all who use the board."""

    def __init__(self, annotations: Annotations) -> None:
        self._items = SharedItems(annotations, "metric")

    def of(self, united: UnitedRuns) -> MainMetric | None:
        """The chosen metric, or a guess where nobody has chosen one that there is."""
        item = next(iter(self._items.all()), None)
        column = "" if item is None else str(item.content.get("column", ""))
        if item is None or column not in united.table:
            return united.guessed_metric
        tag = str(item.content.get("tag", "")) or main_metric.course_of(united.table, column)
        chosen = item.content.get("direction")
        direction: Direction = "min" if chosen == "min" else "max"
        return MainMetric(column, tag, direction, is_guess=False)

    def set(self, united: UnitedRuns, column: str, tag: str, direction: str) -> None:
        """Choose a metric for everyone; raises BadParameter."""
        if column not in united.table and column in united.table.tags:
            column = scalar_column(column)
        if column not in united.table or len(column) > _MOST_CHARACTERS or len(tag) > _MOST_CHARACTERS:
            raise BadParameter(f"column: unknown column {column[:200]!r}.", parameter="column")
        content = {"column": column, "tag": tag, "direction": direction or main_metric.direction(united.table, column)}
        self._items.put(_NAME, content, version=None)

    def clear(self) -> None:
        """Guess again; raises NotFound where nobody has chosen."""
        self._items.delete(_NAME)
