"""Routes that make something of the lineage of runs: importance, the graph, differences, exports."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import orjson
from flask import Blueprint, current_app
from flask.wrappers import Response

from mindinsight_like.errors import BadParameter, RunNotFound, StillLoading
from mindinsight_like.store.growing import growing_since
from mindinsight_like.web.answers import json_answer, unless_known
from mindinsight_like.web.numbers import number
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, Repeated, choice, text, whole
from mindinsight_like.web.schemas import BOOLEAN, COUNT, NUMBER, STRING, WHOLE, listed, or_null, record
from mindinsight_like.web.source import current_reader

from .columns import Table, Value
from .current import current_tables
from .differences import Side, code_difference, differences
from .divergence import parting_step
from .exports import EXPORTS
from .importance import FEWEST_RUNS, described_method, importances
from .named_columns import with_named_columns
from .openlineage import EventSource, events
from .queries import group_of, matching, mentioned, values_at
from .record import LineageRecord
from .run_table import UPDATED, RunTable, RunTables
from .scalar_columns import is_scalar_column
from .table_routes import QUERY, SORT, WHERE

bp = Blueprint("lineage_analysis", __name__)

_NUMBERS = (int, float)  # and no truth values

_TARGET = text("target", "The column that parameters are judged by, such as `metric/accuracy`.")
_IMPORTANCE = record(
    name=STRING,
    importance=or_null(NUMBER) | {"description": "From 0 to 1; null where `reason` says why nothing can be said."},
    direction=WHOLE | {"description": "1: the target grows with it, -1: it falls, 0: neither can be said."},
    runs=COUNT,
    method=STRING,
    reason=STRING,
)


@bp.route("/lineage/importance", methods=["GET", "POST"])
@Operation(
    answer=record(target=STRING, runs=COUNT, fewest_runs=COUNT, method=STRING, parameters=listed(_IMPORTANCE)),
    parameters=(_TARGET, QUERY, WHERE),
    errors=(StillLoading,),
)
def importance(given: Given) -> Response:
    """How much each parameter says about a result, over the runs that the query keeps."""
    tables = current_tables()

    def build() -> Response:
        table = _searched(tables, given, [given[_TARGET]])
        rows = matching(table, query=given[QUERY], where=given[WHERE])
        found = importances(table, rows, given[_TARGET])
        judged = int(table.column(given[_TARGET]).is_number[rows].sum())
        return json_answer(
            {
                "target": given[_TARGET],
                "runs": judged,
                "fewest_runs": FEWEST_RUNS,
                "method": described_method(found),
                "parameters": [asdict(each) for each in found],
            }
        )

    return unless_known(tables.state(), build)


def _searched(tables: RunTables, given: Given, names: Sequence[str]) -> Table:
    """The table with further columns, and with those that query and conditions look at."""
    where = given[WHERE]
    asked = [*names, *(where if isinstance(where, dict) else ())]
    return with_named_columns(tables, asked, mentioned(given[QUERY])).table


_DEPTH = whole("depth", "How many steps from run to run to go.", default=2, lowest=0)
_ANYTHING = {"type": "object", "additionalProperties": True}


@bp.get("/lineage/graph/<run>")
@Operation(
    answer=record(
        nodes=listed(record(id=STRING, kind=STRING, label=STRING, run=STRING, details=_ANYTHING)),
        edges=listed(record(begin=STRING, end=STRING, relation=STRING)),
        is_cut=BOOLEAN,
    ),
    parameters=(_DEPTH,),
    errors=(RunNotFound, StillLoading),
)
def graph(given: Given, run: str) -> Response:
    """Where a run comes from and what came of it: data, runs, checkpoints, evaluations."""
    tables = current_tables()
    current_reader().run(run)

    def build() -> Response:
        found = tables.graph().around(run, min(given[_DEPTH], 20))
        return json_answer(
            {
                "nodes": [_json(asdict(node)) for node in found.nodes.values()],
                "edges": [asdict(link) for link in found.links.values()],
                "is_cut": found.is_cut,
            }
        )

    return unless_known(tables.state(), build)


@bp.get("/lineage/records/<run>")
@Operation(answer=_ANYTHING, errors=(RunNotFound, StillLoading))
def whole_record(given: Given, run: str) -> Response:
    """All that is known of a run's lineage, with code and environment."""
    reader = current_reader()
    reader.run(run)
    return unless_known(reader.versions([run]), lambda: json_answer(_json(asdict(_record(run)))))


_A = text("a", "Id of the run to compare with.")
_B = text("b", "Id of the run that did better, or worse.")
_TAG = text("tag", "The scalar whose curves are compared; none by default.")


@bp.get("/lineage/why")
@Operation(
    answer=record(
        differences=listed(record(kind=STRING, name=STRING, a={}, b={}, importance=or_null(NUMBER))),
        code=STRING | {"description": "How the uncommitted changes differ, as a unified diff."},
        parting_step=or_null(WHOLE) | {"description": "The first step where the curves of the tag part."},
        target=STRING | {"description": "The column by which parameters are ranked; empty when there is none."},
    ),
    parameters=(_A, _B, _TAG, _TARGET),
    errors=(RunNotFound, StillLoading),
)
def why(given: Given) -> Response:
    """What differs between two runs, likely reasons first, and where their curves part."""
    tables, reader = current_tables(), current_reader()
    runs = reader.run(given[_A]), reader.run(given[_B])
    a, b = (run.id for run in runs)

    def build() -> Response:
        table = tables.get()
        left, right = (Side(run.name, _record(run.id), _results(table, run.id)) for run in runs)
        target = given[_TARGET] or _common_result(left.results, right.results)
        curves = reader.scalars([a, b], [given[_TAG]], max_points=None) if given[_TAG] and a != b else []
        both = [next((curve for curve in curves if curve.run == run), None) for run in (a, b)]
        found = differences(left, right, _importance_of(tables, target))
        return json_answer(
            {
                "differences": [_json(asdict(each)) for each in found],
                "code": code_difference(left.record, right.record),
                "parting_step": parting_step(both[0], both[1]) if both[0] is not None and both[1] is not None else None,
                "target": target,
            }
        )

    return unless_known(tables.state(), build)


def _results(runs: RunTable, run: str) -> dict[str, Value]:
    """What came of a run, by column: what was evaluated before the loss of the training."""
    names = [name for name in runs.table.names if group_of(name) == "metric" and run in runs.places]
    names.sort(key=lambda name: "/" not in name)
    return values_at(runs.table, names, runs.places[run]) if names else {}


def _common_result(a: Mapping[str, Value], b: Mapping[str, Value]) -> str:
    """The first result that both runs have a number for; empty without one."""
    both = (name for name in a if name in b)
    return next((name for name in both if type(a[name]) in _NUMBERS and type(b[name]) in _NUMBERS), "")


def _importance_of(tables: RunTables, target: str) -> dict[str, float | None]:
    table = tables.get().table
    if not target or target not in table or not table.column(target).is_number.any():
        return {}
    return {each.name: each.importance for each in importances(table, matching(table), target)}


_SCALARS = Repeated("scalars", "Columns of scalars to add to those there are, such as `scalar/loss/last`.")
_FORMAT = choice("format", "The kind of file.", (*EXPORTS, "openlineage"), default="csv")


@bp.route("/lineage/export", methods=["GET", "POST"])
@Operation(
    answer=None,
    parameters=(_FORMAT, QUERY, WHERE, SORT, _SCALARS),
    errors=(StillLoading,),
    other_formats={
        "text/csv": "One row per run.",
        "application/json": "A list of objects, or of OpenLineage events.",
        "application/vnd.apache.parquet": "One row per run.",
    },
)
def export(given: Given) -> Response:
    """The table of runs with their lineage as a file, or the OpenLineage events of each run."""
    tables = current_tables()

    def build() -> Response:
        scalars: list[str] = given[_SCALARS]
        table = _searched(tables, given, [*scalars, given[SORT].removeprefix("-")])
        if strange := [name for name in scalars if not is_scalar_column(name)]:
            raise BadParameter(f"scalars: there is no column {strange[0][:200]!r}.", parameter=_SCALARS.name)
        rows = matching(table, query=given[QUERY], where=given[WHERE], sort=given[SORT]).tolist()
        if given[_FORMAT] == "openlineage":
            data, content_type, ending = _events(tables, rows), "application/json", "openlineage.json"
        else:
            content_type, made = EXPORTS[given[_FORMAT]]
            data, ending = made(table, list(dict.fromkeys([*tables.get().table.names, *scalars])), rows), given[_FORMAT]
        answer = Response(data, content_type=content_type)
        answer.headers["Content-Disposition"] = f'attachment; filename="lineage.{ending}"'
        return answer

    # By and by runs count as ended, without any change of the index.
    growing = len(_growing(tables)) if given[_FORMAT] == "openlineage" else 0
    return unless_known((tables.state(), growing), build)


def _growing(tables: RunTables) -> set[int]:
    """The rows of the runs that are expected to go on."""
    since = growing_since()
    return {row for row, at in enumerate(tables.get().table.column(UPDATED).values) if float(at or 0.0) > since}


def _events(tables: RunTables, rows: list[int]) -> bytes:
    runs, graph, growing = tables.get(), tables.graph(), _growing(tables)
    table = runs.table
    names, created, updated = (table.column(name).values for name in ("run", "created_at", "updated_at"))
    results = {name: table.column(name).values for name in table.names if name.startswith("metric/")}
    namespace = Path(current_app.extensions["settings"].summary_base_dir).name or "runs"
    found: list[dict[str, object]] = []
    for row in rows:
        run = runs.ids[row]
        parent = next(iter(graph.parents(run)), None)
        source = EventSource(
            run,
            str(names[row]),
            float(created[row] or 0.0),
            float(updated[row] or 0.0),
            _record(run),
            {name: value for name, values in results.items() if (value := values[row]) is not None},
            None if parent is None else (parent, str(names[runs.places[parent]])),
            row in growing,
        )
        found += events(namespace, source)
    return orjson.dumps(found, option=orjson.OPT_INDENT_2)


def _record(run: str) -> LineageRecord:
    kept = current_reader().lineage_record(run)
    return LineageRecord.from_json(json.loads(kept)) if kept else LineageRecord()


def _json(value: object) -> object:
    """A value with the numbers that JSON lacks as texts."""
    if isinstance(value, float):
        return number(value)
    if isinstance(value, dict):
        return {name: _json(each) for name, each in value.items()}
    return [_json(each) for each in value] if isinstance(value, list | tuple) else value
