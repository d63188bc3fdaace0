"""The runs with all their columns united, one per process: what tables, comparisons and analyses of runs work on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from mindinsight_like.lineage.columns import Column
from mindinsight_like.lineage.fields.rules import FieldRule
from mindinsight_like.lineage.table.scalars.column_jobs import ColumnJobs
from mindinsight_like.lineage.table.scalars.scalar_columns import ScalarColumns, ScalarSource
from mindinsight_like.lineage.table.scalars.scalar_store import End
from mindinsight_like.lineage.table.scalars.scalar_tags import ScalarTags

from . import main_metric
from .column_inventory import ColumnInventory, Suggestion
from .main_metric import MainMetric
from .run_facts import fact_columns
from .run_table import RunTable, RunTables
from .united_table import UnitedTable

_FIRST_TAGS = 12  # that are read at once when the table is made


@dataclass(frozen=True)
class UnitedRuns:
    """One state of the runs; what is made of it is kept with it."""

    plain: RunTable  # as recorded
    table: UnitedTable
    rebuilding_scalars: set[str] = field(default_factory=set)  # runs whose scalars were missing so far

    @property
    def runs(self) -> RunTable:
        """The run table with all columns."""
        return replace(self.plain, table=self.table, rebuilding=self.plain.rebuilding | self.rebuilding_scalars)

    def scalar_columns(self, tables: UnitedRunTables, names: Sequence[str], *, wait: bool) -> ScalarColumns:
        """Columns of scalars in the rows of this table; raises BadParameter."""
        return tables.scalars.columns(self.plain, names, wait=wait)

    @cached_property
    def inventory(self) -> ColumnInventory:
        return ColumnInventory(self.table, self.plain.pipelines)

    @cached_property
    def guessed_metric(self) -> MainMetric | None:
        return main_metric.guess(self.table)

    @cached_property
    def suggestion(self) -> Suggestion:
        return self.inventory.suggest(self.guessed_metric)

    def suggestion_for(self, metric: MainMetric) -> Suggestion:
        """The same for a metric that may have been chosen."""
        return self.suggestion if metric == self.guessed_metric else self.inventory.suggest(metric)


class UnitedRunTables:
    """Gives the runs as they are now; any number of threads may ask."""

    def __init__(
        self,
        tables: RunTables,
        rules: Callable[[], Sequence[FieldRule]],
        *,
        first_project: str = "",
        jobs: ColumnJobs | None = None,
    ) -> None:
        self.tables = tables
        self.scalars = ScalarSource(tables.reader, jobs)
        self.tags = ScalarTags(tables.reader)
        self.rules = rules
        self._first_project = first_project
        self._lock = threading.Lock()
        self._cached: tuple[tuple[object, ...], UnitedRuns] | None = None

    def state(self) -> object:
        """What responses about the runs depend on; equal states, equal responses."""
        return self.tables.state(), self.scalars.progress()

    def get(self) -> UnitedRuns:
        plain = self.tables.get()
        tags, rules = self.tags.counts(plain), self.rules()
        with self._lock:
            # Objects that are the same as long as nothing has changed; the entry keeps them alive.
            state = (plain, tags, rules)
            cached = self._cached
            if (
                cached is None
                or any(one is not other for one, other in zip(cached[0], state, strict=True))
                or cached[1].rebuilding_scalars
            ):
                rebuilding: set[str] = set()

                def scalar(tag: str, end: End) -> Column:
                    column, missing = self.scalars.store.column(plain, tag, end)
                    rebuilding.update(missing)
                    return column

                table = UnitedTable(plain.table, tags, rules, scalar, fact_columns(plain, self._first_project))
                if cached is None:
                    self.scalars.store.prefetch(plain, table.metric_tags()[:_FIRST_TAGS])
                cached = self._cached = state, UnitedRuns(plain, table, rebuilding)
            return cached[1]
