"""Routes of the runs table: every run is a row; fields, parameters, metrics and scalars are columns.

Over 400 lines, half of them declarations: parameters and response types stand beside their route.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.errors import BadParameter, StillLoading
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, Repeated, choice, structured, text, whole, words
from mindinsight_like.http.responses import conditional_response, partial_response
from mindinsight_like.lineage.columns import Value
from mindinsight_like.lineage.fields.names import scalar_column, scalar_tag
from mindinsight_like.lineage.query.parser import RUN_NAME
from mindinsight_like.lineage.query.search import (
    matching_rows,
    mentioned_names,
    sort_keys,
    sort_names,
    type_mismatches,
    values_at,
)
from mindinsight_like.lineage.table import main_metric
from mindinsight_like.lineage.table.column_inventory import TableColumn as InventoryColumn
from mindinsight_like.lineage.table.folding.folded_runs import FoldedRuns
from mindinsight_like.lineage.table.grouping import RunGroup, groups_of, rows_of_group
from mindinsight_like.lineage.table.named_columns import named_columns
from mindinsight_like.lineage.table.run_facts import annotation_of, display_name, shown_rows
from mindinsight_like.lineage.table.run_table import RunTable
from mindinsight_like.lineage.table.scalars.scalar_columns import tag_of
from mindinsight_like.lineage.table.sparklines import Sparkline
from mindinsight_like.lineage.table.united_runs import UnitedRuns
from mindinsight_like.tables.json_numbers import column, number

from .current_tables import current_folded_runs, current_metric_choice, current_runs, current_sparklines
from .runs_table_types import (
    ColumnSource,
    ConflictingValue,
    GroupNumbers,
    LeftOutColumns,
    MetricChoice,
    RunColumn,
    RunGroupRow,
    RunRow,
    RunsTable,
    SparklinePoints,
    SubRun,
)
from .tables import QUERY, WHERE, domain_of, json_scalar, type_mismatch

bp = Blueprint("runs_table", __name__)

_MOST_ROWS = 10_000

_SORT = text(
    "sort",
    "Columns to sort by, separated by commas; descending with a `-` in front. By default the main metric, best first,"
    " then `-updated_at`.",
)
_OFFSET = whole("offset", "Number of rows or groups to skip.", default=0, lowest=0)
_LIMIT = whole("limit", f"Maximum number of rows or groups, up to {_MOST_ROWS:,}.", default=100, lowest=0)
_COLUMNS = Repeated(
    "columns",
    "Columns whose values come with the rows; by default those in `suggested`. Any scalar is one:"
    " `scalar/<tag>/last`, `/min`, `/max`, `/best`, `/mean`, `/mean:<last points>`, `/at:<step>`, or"
    " `/at:max:<other tag>` for the value where another scalar was best. Unknown ones are left out.",
)
_GROUP_BY = Repeated("group_by", "Columns by whose values runs are grouped, outermost first.")
_WITHIN = structured(
    "within",
    "Only runs with these values of the `group_by` columns, outermost first; null: without a value. With fewer values"
    " than columns the response has the groups one level further in, else their rows.",
    {"type": "array", "items": {}},
)
_SPARKLINE = text(
    "sparkline", "Scalar tag whose curve comes with each row; `auto`: that of the main metric. None by default."
)
_SPARKLINE_POINTS = whole("sparkline_points", "Points of each of these curves.", default=40, lowest=2, highest=500)
_RUNS = Repeated("runs", "Only the runs with these IDs, or the rows that have them, without unknown ones.")
_SUB_RUNS = choice(
    "sub_runs",
    "Sub-runs of one training: `separate` rows, or `folded` into one row by the rules of `/runs/table/folding`.",
    ("separate", "folded"),
    default="separate",
)
_SHOW = choice(
    "show",
    "Which runs: `active` ones, those that are `archived`, those that are `hidden`, or `all`.",
    ("active", "archived", "hidden", "all"),
    default="active",
)
_COLUMN_SEARCH = words("column_search", "Only columns in `columns` whose names contain every one of these words.")
_COLUMN_LIMIT = whole(
    "column_limit", "Maximum number of columns in `columns` besides those of the rows.", default=300, lowest=0,
    highest=_MOST_ROWS,
)  # fmt: skip


@bp.route("/runs/table", methods=["GET", "POST"])
@Operation(
    only_reads=True,
    answer=RunsTable,
    parameters=(
        QUERY,
        WHERE,
        _SORT,
        _OFFSET,
        _LIMIT,
        _COLUMNS,
        _GROUP_BY,
        _WITHIN,
        _SPARKLINE,
        _SPARKLINE_POINTS,
        _RUNS,
        _SHOW,
        _SUB_RUNS,
        _COLUMN_SEARCH,
        _COLUMN_LIMIT,
    ),
    errors=(StillLoading,),
)
def runs_table(params: Params) -> Response:
    """Every run as a row, with the columns in which runs differ unless others are named.

    Canonical fields unite what log formats call by different names. With `group_by` the response has groups, nested
    ones level by level.
    """
    tables = current_folded_runs() if params[_SUB_RUNS] == "folded" else current_runs()
    return conditional_response(current_runs().state(), lambda: _Page(params, tables.get()).response())


class _Page:
    """The part of the table that is asked for."""

    def __init__(self, params: Params, united: UnitedRuns) -> None:
        self._params, self._united = params, united
        self._metric = current_metric_choice().of(united)
        self._suggestion = united.suggestion if self._metric is None else united.suggestion_for(self._metric)
        columns: list[str] = params[_COLUMNS]
        self._group_by: list[str] = params[_GROUP_BY]
        self._sort = params[_SORT] or self._default_sort()
        where = params[WHERE]
        named = [
            *columns,
            *self._group_by,
            *sort_names(self._sort),
            *(where if isinstance(where, dict) else ()),
        ]
        tables = current_runs()
        extended = named_columns(tables, united, named, mentioned_names(params[QUERY]), wait=False)
        self._runs, self._pending = extended.runs, extended.pending
        self._table = self._runs.table
        wanted = columns or self._suggestion.columns
        self._shown = [name for name in wanted if name in self._table]

    def _default_sort(self) -> str:
        metric = self._metric
        best = [] if metric is None else [f"-{metric.column}" if metric.direction == "max" else metric.column]
        return ",".join([*best, "-updated_at"])

    def response(self) -> Response:
        params, table = self._params, self._table
        visible = _visible(self._runs, params)
        settings = (
            each.settings
            for run, each in self._runs.annotations.items()
            if (row := self._runs.places.get(run)) is not None and self._runs.ids[row] == run
        )
        left_out = [each for each in settings if each.is_left_out]
        query, where = params[QUERY], params[WHERE]
        rows = matching_rows(table, query=query, where=where, sort=self._sort)
        rows = rows[visible[rows]]
        within = self._within()
        if within:
            rows = rows_of_group(table, rows, self._group_by, within)
        groups: list[RunGroup] = []
        if len(within) < len(self._group_by) and len(table):
            column_name = self._group_by[len(within)]
            groups = groups_of(table, rows, column_name, self._shown, sort_keys(table, self._sort))
        begin, end = params[_OFFSET], params[_OFFSET] + min(params[_LIMIT], _MOST_ROWS)
        places = [] if self._group_by and len(within) < len(self._group_by) else rows[begin:end].tolist()
        tag = self._sparkline_tag()
        body: RunsTable = {
            "total": int(visible.sum()),
            "folded": self._folded(rows),
            "archived": sum(each.is_archived for each in left_out),
            "hidden": sum(not each.is_archived for each in left_out),
            "matching": len(rows),
            **self._columns(),  # type: ignore[typeddict-item]
            "main_metric": metric_body(self._metric),
            "shown": self._shown,
            "sort": self._sort,
            "sparkline_tag": tag,
            "rows": self._rows(places, tag),
            "groups": [_group(each, within, self._runs.ids[rows[each.first_row]]) for each in groups[begin:end]],
            "group_total": len(groups),
            "type_mismatches": [type_mismatch(each) for each in type_mismatches(table, query=query, where=where)],
        }
        return partial_response(body, sorted(self._runs.rebuilding | self._united.runs.rebuilding))

    def _within(self) -> list[Value | None]:
        within = self._params[_WITHIN]
        if within is None:
            return []
        if not isinstance(within, list) or len(within) > len(self._group_by):
            raise BadParameter("within must be a list with at most as many values as group_by.", parameter="within")
        for value in within:
            if not (value is None or isinstance(value, bool | int | float | str)):
                raise BadParameter("within: values are numbers, strings, booleans or null.", parameter="within")
        for name in self._group_by:
            if name not in self._table and len(self._table):
                raise BadParameter(f"group_by: unknown column {name[:200]!r}.", parameter="group_by")
        return within

    def _columns(self) -> dict[str, Any]:
        """The inventory: the columns of the rows, then others that match the search."""
        inventory, suggestion = self._united.inventory, self._suggestion
        parts = self._params[_COLUMN_SEARCH].lower().split()
        names = [name for name in inventory.names() if all(part in name.lower() for part in parts)]
        others = [name for name in names if name not in set(self._shown)]
        return {
            "columns": [self._column(name) for name in (*self._shown, *others[: self._params[_COLUMN_LIMIT]])],
            "column_total": len(names),
            "suggested": suggestion.columns,
            "left_out": LeftOutColumns(**vars(suggestion.left_out)),
        }

    def _column(self, name: str) -> RunColumn:
        table = self._united.table
        if name in self._united.inventory:
            each = self._united.inventory.column(name)
        else:  # a scalar, computed for this request
            computed = self._table.column(name)
            count, tag = computed.count, tag_of(name)
            each = InventoryColumn(name, name, "scalar", computed.type, count, None, False, False, tag)
        return RunColumn(
            name=each.name,
            label=each.label,
            group=each.group,
            type=each.type,
            count=each.count,
            distinct=each.distinct,
            is_constant=each.is_constant,
            is_sparse=each.is_sparse,
            is_field=name in table.fields,
            sources=[ColumnSource(name=source.name, count=source.count) for source in each.sources],
            tag=each.tag,
            direction=main_metric.direction(table, name) if each.group in ("metric", "scalar") else "",
            status="pending" if name in self._pending else "ready",
            domain=domain_of(self._runs.domains.get(name)),
        )

    def _sparkline_tag(self) -> str:
        asked = self._params[_SPARKLINE]
        if asked == "auto":
            return "" if self._metric is None else self._metric.tag
        return scalar_tag(asked) or asked

    def _rows(self, places: Sequence[int], tag: str) -> list[RunRow]:
        ids = [self._runs.ids[place] for place in places]
        lines = self._sparklines(places, tag) if tag else [None] * len(ids)
        names = self._table.column(RUN_NAME)
        rows = []
        for place, run, line in zip(places, ids, lines, strict=True):
            annotation, status = annotation_of(self._runs, run), self._runs.facts[place].status
            settings = annotation.settings
            values = values_at(self._table, self._shown, place)
            row: RunRow = {
                "run": run,
                "name": str(names.at(place)),
                "display_name": display_name(self._runs, place),
                "state": status.state,
                "tracker_status": status.word,
                "exit_reason": status.exit_reason,
                "progress": status.fraction,
                "eta_seconds": status.eta_seconds,
                "warning_count": self._runs.facts[place].warnings,
                "has_lineage": run not in self._runs.without_lineage,
                "values": {name: json_scalar(value) for name, value in values.items()},
                "note": annotation.note,
                "labels": annotation.labels,
                "custom_name": settings.name,
                "colour": settings.colour,
                "owner": settings.owner,
                "archived": settings.is_archived,
                "hidden": settings.is_hidden,
                "note_version": annotation.note_version,
                "labels_version": annotation.labels_version,
                "settings_version": settings.version,
            }
            if conflicts := self._conflicts(place):
                row["conflicts"] = conflicts
            if line is not None:
                row["sparkline"] = SparklinePoints(steps=line.steps, values=column(line.values))
            if isinstance(self._united, FoldedRuns) and (sub_runs := self._united.sub_runs(place)):
                row["sub_runs"] = [SubRun(**vars(each)) for each in sub_runs]
            rows.append(row)
        return rows

    def _sparklines(self, places: Sequence[int], tag: str) -> list[Sparkline | None]:
        """The curves of the rows: of sub-runs of the one whose value is shown."""
        runs = [self._runs.ids[place] for place in places]
        if isinstance(self._united, FoldedRuns):
            metric = self._metric
            column_name = metric.column if metric is not None and metric.tag == tag else scalar_column(tag)
            runs = [self._united.run_of(column_name, place) for place in places]
        lines = current_sparklines().of_runs(runs, tag, self._params[_SPARKLINE_POINTS]).answer if runs else {}
        return [lines.get(run) for run in runs]

    def _folded(self, rows: np.ndarray[Any, np.dtype[np.int64]]) -> int:
        return int((self._united.rows.sizes[rows] - 1).sum()) if isinstance(self._united, FoldedRuns) else 0

    def _conflicts(self, place: int) -> dict[str, list[ConflictingValue]]:
        fields = [name for name in self._shown if name in self._united.table.fields]
        return {
            name: [ConflictingValue(column=each.column, value=json_scalar(each.value)) for each in different]
            for name in fields
            if (different := self._united.table.disagreements(name, place))
        }


def _visible(runs: RunTable, params: Params) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Mask of the runs that are to be shown at all."""
    mask = shown_rows(runs, params[_SHOW])
    ids: list[str] = params[_RUNS]
    if params.has(_RUNS):
        chosen = np.zeros(len(runs.ids), bool)
        chosen[[runs.places[run] for run in ids if run in runs.places]] = True
        mask &= chosen
    return mask


def metric_body(metric: main_metric.MainMetric | None) -> MetricChoice | None:
    if metric is None:
        return None
    return MetricChoice(
        column=metric.column, tag=metric.tag, direction=metric.direction or "max", is_guess=metric.is_guess
    )


def _group(group: RunGroup, within: Sequence[Value | None], run: str) -> RunGroupRow:
    values = [None if value is None else json_scalar(value) for value in (*within, group.value)]
    numbers = {
        name: GroupNumbers(n=each.n, mean=number(each.mean), sd=each.sd, min=number(each.min), max=number(each.max))
        for name, each in group.numbers.items()
    }
    shared = {name: json_scalar(value) for name, value in group.shared.items()}
    return RunGroupRow(values=values, n=group.n, run=run, numbers=numbers, shared=shared)
