"""Access to this process's tables of runs from routes."""

from __future__ import annotations

from pathlib import Path

from mindinsight_like.http.app_state import Shared
from mindinsight_like.http.index_access import current_annotations
from mindinsight_like.lineage.table.field_rules import FieldRules
from mindinsight_like.lineage.table.folding.folded_runs import FoldedRunTables
from mindinsight_like.lineage.table.folding.folding_settings import FoldingSettings
from mindinsight_like.lineage.table.metric_choice import MetricChoice
from mindinsight_like.lineage.table.run_table import RunTables
from mindinsight_like.lineage.table.scalars.column_jobs import ColumnJobs
from mindinsight_like.lineage.table.sparklines import Sparklines
from mindinsight_like.lineage.table.united_runs import UnitedRunTables

_TABLES = Shared(lambda state, reader: RunTables(reader, current_annotations()))


_RULES = Shared(lambda state, reader: FieldRules(current_annotations(), _path(state.settings.field_rules)))
_METRIC = Shared(lambda state, reader: MetricChoice(current_annotations()))
_UNITED = Shared(
    lambda state, reader: UnitedRunTables(
        current_tables(),
        current_field_rules().current,
        first_project=state.settings.first_project,
        jobs=ColumnJobs(reader.folder, state.settings.environment()),
    )
)
_FOLDING = Shared(lambda state, reader: FoldingSettings(current_annotations()))
_FOLDED = Shared(
    lambda state, reader: FoldedRunTables(current_runs(), current_folding(), first_project=state.settings.first_project)
)
_SPARKLINES = Shared(lambda state, reader: Sparklines(reader))


def current_tables() -> RunTables:
    """One per process and index reader."""
    return _TABLES.current()


def current_runs() -> UnitedRunTables:
    """The same runs with canonical fields and scalars as columns."""
    return _UNITED.current()


def current_folded_runs() -> FoldedRunTables:
    """The same with one row for all sub-runs of a training."""
    return _FOLDED.current()


def current_folding() -> FoldingSettings:
    """The rules by which runs are sub-runs of one training."""
    return _FOLDING.current()


def current_field_rules() -> FieldRules:
    """The rules of canonical fields in effect."""
    return _RULES.current()


def current_metric_choice() -> MetricChoice:
    return _METRIC.current()


def current_sparklines() -> Sparklines:
    return _SPARKLINES.current()


def _path(text: str) -> Path | None:
    return Path(text) if text else None
