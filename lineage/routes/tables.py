"""Routes of the lineage tables: models, data processing, and completion of queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta
from typing_extensions import TypedDict

from mindinsight_like.errors import StillLoading
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, Repeated, choice, structured, text, whole
from mindinsight_like.http.response_types import (
    Count,
    Interval,
    JsonScalar,
    PartialResponse,
    RunId,
    Version,
    response_type,
)
from mindinsight_like.http.responses import conditional_response, json_response, partial_response
from mindinsight_like.lineage.columns import ColumnType, Table, Value
from mindinsight_like.lineage.query.completion import complete
from mindinsight_like.lineage.query.conditions import OPERATORS
from mindinsight_like.lineage.query.parser import RUN_NAME
from mindinsight_like.lineage.query.search import (
    ColumnInfo,
    column_infos,
    matching_rows,
    mentioned_names,
    sort_names,
    type_mismatches,
    values_at,
)
from mindinsight_like.lineage.query.type_mismatches import Kind, Mismatch
from mindinsight_like.lineage.table.domains import Domain
from mindinsight_like.lineage.table.run_table import MARK, RunTable
from mindinsight_like.lineage.table.scalars.scalar_columns import is_scalar_column
from mindinsight_like.store.annotations import Annotation
from mindinsight_like.tables.json_numbers import number

from .current_tables import current_runs, current_tables

bp = Blueprint("lineage", __name__)

_MOST_ROWS = 10_000
_NOTHING_ADDED = Annotation()

QUERY = text(
    "query", 'Only runs that match, in the language of the search box: `metric/accuracy > 0.9 and optimizer = "Adam"`.'
)
WHERE = structured(
    "where",
    "Only runs for which all of these conditions hold: `{column: {eq|ne|lt|le|gt|ge|in|not_in|contains: value}}`.",
    {"type": "object", "additionalProperties": {"type": "object", "properties": {name: {} for name in OPERATORS}}},
)
SORT = text(
    "sort", "Columns to sort by, separated by commas; descending with a `-` in front. By default `-updated_at`."
)
COLUMNS = Repeated(
    "columns",
    "Only these columns; all by default. Computed on demand: `scalar/<tag>/last`, `/min`, `/max`, `/mean`, or"
    " `/at:max:<other tag>` for the value where another scalar was best.",
)
OFFSET = whole("offset", "Number of rows to skip.", default=0, lowest=0)
LIMIT = whole("limit", f"Maximum number of rows, up to {_MOST_ROWS:,}.", default=100, lowest=0)
PARAMETERS = (QUERY, WHERE, SORT, COLUMNS, OFFSET, LIMIT)


@response_type
class LineageColumn:
    name: str
    label: str
    group: str
    type: ColumnType
    count: Annotated[int, Meta(ge=0, description="Number of rows with a value.")]
    domain: Annotated[list[JsonScalar] | Interval | None, Meta(description="Values that experiments allow.")]


class LineageRow(TypedDict):
    """A run with its values."""

    run: RunId
    name: str
    values: Annotated[dict[str, JsonScalar], Meta(description="By column name; columns without a value are absent.")]
    note_version: Version
    labels_version: Version


class ModelRow(LineageRow):
    """A run with parameters, data, code and metrics."""

    has_lineage: Annotated[bool, Meta(description="False if only the files of the run are known.")]


class DatasetRow(LineageRow):
    """A run with its data processing."""

    shared_by: Annotated[int, Meta(ge=0, description="Number of runs with the very same data pipeline.")]


@response_type
class TypeMismatch:
    """A comparison with a value of another type than the column holds, which never matches."""

    column: str
    value_types: list[Kind]
    value: str
    kind: Kind
    message: str


class LineageTable(PartialResponse):
    total: Annotated[int, Meta(ge=0, description="Number of rows before `offset` and `limit`.")]
    columns: list[LineageColumn]
    type_mismatches: Annotated[list[TypeMismatch], Meta(description="Comparisons that never match.")]


class ModelTable(LineageTable):
    """Runs with their parameters, data, code and metrics."""

    rows: list[ModelRow]


class DatasetTable(LineageTable):
    """Runs with the operators and parameters of their data processing."""

    rows: list[DatasetRow]


@bp.route("/lineage/models", methods=["GET", "POST"])
@Operation(answer=ModelTable, parameters=PARAMETERS, errors=(StillLoading,))
def models(params: Params) -> Response:
    """Runs with their parameters, data, code and metrics."""
    tables = current_tables()

    def build() -> Response:
        columns: list[str] = params[COLUMNS]
        runs = tables.get()
        extended = current_runs().scalars.extend(runs, _scalar_columns(params, columns))
        page = _Page(params, extended, extended.table, columns or runs.table.names, beside=extended.pipelines)
        rows: list[ModelRow] = [
            {**page.row(place), "has_lineage": extended.ids[place] not in extended.without_lineage}
            for place in page.places
        ]
        body: ModelTable = {**page.table(), "rows": rows}
        return partial_response(body, sorted(extended.rebuilding))

    return conditional_response(tables.state(), build)


@bp.route("/lineage/datasets", methods=["GET", "POST"])
@Operation(answer=DatasetTable, parameters=PARAMETERS, errors=(StillLoading,))
def datasets(params: Params) -> Response:
    """Runs with the operators and parameters of their data processing, one column each."""
    tables = current_tables()

    def build() -> Response:
        runs = tables.get()
        columns: list[str] = params[COLUMNS]
        table = runs.pipelines
        page = _Page(params, runs, table, columns or table.names, beside=runs.table, group="pipeline")
        marks = table.column(MARK).values if MARK in table else None  # None: no run has a pipeline
        rows: list[DatasetRow] = [
            {**page.row(place), "shared_by": 0 if marks is None else runs.shared.get(str(marks[place]), 0)}
            for place in page.places
        ]
        body: DatasetTable = {**page.table(), "rows": rows}
        return partial_response(body, sorted(runs.rebuilding))

    return conditional_response(tables.state(), build)


class _Page:
    """The rows of `table` that are asked for; `beside` has further columns to search and sort by."""

    def __init__(
        self,
        params: Params,
        runs: RunTable,
        table: Table,
        names: Sequence[str],
        *,
        beside: Table,
        group: str = "model",
    ) -> None:
        self._runs, self._table, self._group = runs, table, group
        searched = table.beside(beside)
        query, where = params[QUERY], params[WHERE]
        matches = matching_rows(searched, query=query, where=where, sort=params[SORT] or "-updated_at")
        begin = params[OFFSET]
        self._total = len(matches)
        self.places: list[int] = matches[begin : begin + min(params[LIMIT], _MOST_ROWS)].tolist()
        self._names = [name for name in names if name in table]
        self._run_names = table.column(RUN_NAME).values if RUN_NAME in table else []
        self._mismatches = type_mismatches(searched, query=query, where=where)

    def table(self) -> LineageTable:
        """All but the rows."""
        infos = column_infos(self._table, self._names, otherwise=self._group)
        return {
            "total": self._total,
            "columns": [_column(info, self._runs.domains.get(info.name)) for info in infos],
            "type_mismatches": [type_mismatch(each) for each in self._mismatches],
        }

    def row(self, place: int) -> LineageRow:
        run = self._runs.ids[place]
        annotation = self._runs.annotations.get(run, _NOTHING_ADDED)
        values = values_at(self._table, self._names, place)
        return {
            "run": run,
            "name": str(self._run_names[place]),
            "values": {name: json_scalar(value) for name, value in values.items()},
            "note_version": annotation.note_version,
            "labels_version": annotation.labels_version,
        }


def _column(info: ColumnInfo, domain: Domain | None) -> LineageColumn:
    return LineageColumn(
        name=info.name,
        label=info.label,
        group=info.group,
        type=info.type,
        count=info.count,
        domain=domain_of(domain),
    )


def domain_of(domain: Domain | None) -> list[JsonScalar] | Interval | None:
    if isinstance(domain, dict):
        return Interval(min=number(domain["min"]), max=number(domain["max"]))
    return None if domain is None else [json_scalar(value) for value in domain]


def type_mismatch(mismatch: Mismatch) -> TypeMismatch:
    return TypeMismatch(
        column=mismatch.column,
        value_types=mismatch.value_types,
        value=mismatch.value,
        kind=mismatch.kind,
        message=mismatch.message,
    )


def json_scalar(value: Value) -> JsonScalar:
    return number(value) if isinstance(value, float) else value


def _scalar_columns(params: Params, columns: Sequence[str]) -> list[str]:
    """Columns of scalars that are asked for, sorted by or looked at."""
    where = params[WHERE]
    named = [*columns, *sort_names(params[SORT]), *(where if isinstance(where, dict) else ())]
    # A name in the query that is none of a scalar's column is refused with its place when the query is parsed.
    queried = filter(is_scalar_column, mentioned_names(params[QUERY]))
    return list(dict.fromkeys((*(name for name in named if name.startswith("scalar/")), *queried)))


_TABLE = choice("table", "Which table the query is for.", ("models", "datasets", "runs"), default="models")
_TEXT = text("text", "The query as typed so far.")
_CURSOR = whole("cursor", "Position of the cursor in the query; the end by default.", default=None, lowest=0)


@response_type
class QuerySuggestion:
    kind: Annotated[str, Meta(description="`column`, `operator`, `value` or `word`.")]
    text: Annotated[str, Meta(description="What to insert.")]
    label: Annotated[str, Meta(description="What to show.")]


@response_type
class QueryCompletion:
    """Suggestions, and the part of the query that they replace."""

    begin: Count
    end: Count
    suggestions: list[QuerySuggestion]


@bp.route("/lineage/complete", methods=["GET", "POST"])
@Operation(
    answer=QueryCompletion,
    parameters=(_TEXT, _CURSOR, _TABLE),
    errors=(StillLoading,),
)
def completion(params: Params) -> Response:
    """Suggestions for a query that is being typed."""
    runs = current_tables().get()
    typed, cursor = params[_TEXT], params[_CURSOR]
    models = current_runs().get().table if params[_TABLE] == "runs" else runs.table
    tables = (runs.pipelines, models) if params[_TABLE] == "datasets" else (models, runs.pipelines)
    table = tables[0].beside(tables[1])
    offered = complete(typed, len(typed) if cursor is None else min(cursor, len(typed)), table)
    suggestions = [QuerySuggestion(kind=each.kind, text=each.text, label=each.label) for each in offered.suggestions]
    return json_response(QueryCompletion(begin=offered.begin, end=offered.end, suggestions=suggestions))
