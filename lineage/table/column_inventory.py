"""Inventory of the columns of the runs table, and which of them to show unless somebody chooses others."""

from __future__ import annotations

from dataclasses import dataclass, field

from mindinsight_like.lineage.columns import Column, ColumnType, Table
from mindinsight_like.lineage.fields.metrics import is_plain
from mindinsight_like.lineage.fields.names import scalar_column, scalar_tag
from mindinsight_like.lineage.query.parser import RUN_NAME
from mindinsight_like.lineage.query.search import group_of, label_of

from .main_metric import MainMetric, metric_columns
from .run_facts import DURATION, STATE
from .run_table import LABELS, MARK, NOTE, UPDATED
from .united_table import UnitedTable

_SPARSE_SHARE = 0.2  # a column with a value in fewer rows is mostly empty
_MOST_METRICS, _MOST_PARAMETERS = 4, 12  # that are suggested
_PARAMETERS = ("hparam", "model", "data", "user_defined", "environment")


@dataclass(frozen=True)
class Source:
    """A column that a field comes from."""

    name: str
    count: int  # rows with a value


@dataclass(frozen=True)
class TableColumn:
    name: str
    label: str
    group: str
    type: ColumnType
    count: int  # rows with a value
    distinct: int | None  # different values; None: not looked at
    is_constant: bool  # the same value in all rows that have one, and more than one has
    is_sparse: bool
    tag: str = ""  # the scalar that it is made of
    sources: tuple[Source, ...] = ()  # of a canonical field


@dataclass(frozen=True)
class LeftOut:
    """How many columns are not suggested, and why."""

    constant: int = 0
    sparse: int = 0
    united: int = 0  # a field shows them
    other: int = 0


@dataclass(frozen=True)
class Suggestion:
    columns: list[str] = field(default_factory=list)
    left_out: LeftOut = field(default_factory=LeftOut)


class ColumnInventory:
    """Of one state of the table and the data pipelines of its runs; each column is looked at once."""

    def __init__(self, table: UnitedTable, pipelines: Table | None = None) -> None:
        self._table = table
        self._stages = {} if pipelines is None else dict.fromkeys(pipelines.names, pipelines)
        for name in (RUN_NAME, MARK, LABELS, NOTE):
            self._stages.pop(name, None)
        self._columns: dict[str, TableColumn] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._table or name in self._stages

    @property
    def stages(self) -> list[str]:
        """Operators of data pipelines and their parameters."""
        return list(self._stages)

    def column(self, name: str) -> TableColumn:
        column = self._columns.get(name)
        if column is None:
            column = self._columns[name] = self._look_at(name)
        return column

    def names(self) -> list[str]:
        """All that can be shown: fields and recorded columns, pipelines, then scalars that most runs have first."""
        recorded = [name for name in self._table.names if not scalar_tag(name)]
        stages = [name for name in self._stages if name not in self._table]
        return [*recorded, *stages, *map(scalar_column, self._table.tags)]

    def suggest(self, main: MainMetric | None) -> Suggestion:
        """The main metric, other metrics, parameters that differ, then how long the runs took and when they ended."""
        table = self._table
        if not len(table):
            return Suggestion()
        metrics = [name for name in metric_columns(table) if main is None or name != main.column]
        names = [STATE] if STATE in table and table.column(STATE).count else []
        names += [] if main is None else [main.column]
        names += [name for name in metrics if self._is_telling(name)][:_MOST_METRICS]
        parameters = [name for name in table.names if self._is_parameter(name)]
        parameters.sort(key=lambda name: name not in table.fields)  # stable: fields first
        constant = [name for name in parameters if self.column(name).is_constant]
        sparse = [name for name in parameters if self.column(name).is_sparse and name not in constant]
        differing = [name for name in parameters if name not in constant and name not in sparse]
        names += differing[:_MOST_PARAMETERS]
        names += [name for name in (DURATION, UPDATED) if name in table]
        united = len(table.repeated)
        other = len(self.names()) - len(names) - len(constant) - len(sparse) - united
        return Suggestion(names, LeftOut(len(constant), len(sparse), united, max(other, 0)))

    def _is_parameter(self, name: str) -> bool:
        if (field := self._table.fields.get(name)) is not None:
            return field.rule.group != "metric"
        if name in self._table.repeated or scalar_tag(name):
            return False
        return group_of(name) in _PARAMETERS

    def _is_telling(self, name: str) -> bool:
        """Whether a metric is worth a column: most runs have it, and its name says no more than what it measures."""
        return not self.column(name).is_sparse and (name in self._table.fields or is_plain(name))

    def _look_at(self, name: str) -> TableColumn:
        table = self._table
        rows = len(table)
        if (tag := scalar_tag(name)) and tag in table.tags:
            count = table.tags[tag]
            return TableColumn(name, tag, "scalar", "float", count, None, False, count < _SPARSE_SHARE * rows, tag)
        if name not in table:
            return self._described(self._stages[name].column(name), "pipeline", ())
        field = table.fields.get(name)
        group = group_of(name) if field is None else field.rule.group
        sources = () if field is None else tuple(Source(each, self._count(each)) for each in field.all)
        return self._described(table.column(name), group, sources)

    def _described(self, column: Column, group: str, sources: tuple[Source, ...]) -> TableColumn:
        distinct, count = column.distinct, column.count
        is_constant, is_sparse = distinct == 1 and count > 1, count < _SPARSE_SHARE * len(self._table)
        label = column.name if group == "pipeline" else label_of(column.name)
        return TableColumn(
            column.name, label, group, column.type, count, distinct, is_constant, is_sparse, sources=sources
        )

    def _count(self, name: str) -> int:
        tag = scalar_tag(name)
        return self._table.tags[tag] if tag in self._table.tags else self._table.column(name).count
