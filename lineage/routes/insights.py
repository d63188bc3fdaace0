"""Routes of lineage insights: parameter importance, lineage graph, run differences, exports."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import orjson
from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.errors import BadParameter, RunNotFound, StillLoading
from mindinsight_like.http.app_state import current_state
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, Repeated, choice, text, whole
from mindinsight_like.http.response_types import JsonObject, JsonScalar, PartialResponse, response_type
from mindinsight_like.http.responses import conditional_response, json_response, partial_response
from mindinsight_like.lineage.columns import Value
from mindinsight_like.lineage.exports.openlineage import EventSource, events
from mindinsight_like.lineage.exports.table_files import EXPORTS
from mindinsight_like.lineage.insights.differences import Kind, Side, code_difference, differences
from mindinsight_like.lineage.insights.divergence import divergence_step
from mindinsight_like.lineage.insights.importance import FEWEST_RUNS, importances, method_description
from mindinsight_like.lineage.query.search import group_of, matching_rows, mentioned_names, sort_names, values_at
from mindinsight_like.lineage.records.record import LineageRecord
from mindinsight_like.lineage.table.lineage_graph import NodeKind
from mindinsight_like.lineage.table.named_columns import with_named_columns
from mindinsight_like.lineage.table.run_table import UPDATED, RunTable, RunTables
from mindinsight_like.lineage.table.scalars.scalar_columns import is_scalar_column
from mindinsight_like.store.growing_logs import growing_since
from mindinsight_like.store.intact import Intact, read_part
from mindinsight_like.store.result_types import Curve
from mindinsight_like.tables.json_numbers import json_value

from .current_tables import current_metric_choice, current_runs, current_tables
from .tables import QUERY, SORT, WHERE

bp = Blueprint("lineage_analysis", __name__)

_NUMBERS = (int, float)  # and no truth values

TARGET = text(
    "target", "Column by which parameters are ranked, such as `metric/accuracy`; the main metric if not given."
)


@response_type
class ParameterImportance:
    """How much a parameter says about the target."""

    name: str
    importance: Annotated[float | None, Meta(description="From 0 to 1; null if unknown, see `reason`.")]
    direction: Annotated[int, Meta(description="1: the target grows with it; -1: it falls; 0: unknown.")]
    runs: Annotated[int, Meta(ge=0, description="Number of runs with both values.")]
    method: str
    reason: str


class ImportanceRanking(PartialResponse):
    """All parameters by importance."""

    target: str
    runs: Annotated[int, Meta(ge=0, description="Number of runs with a number for the target.")]
    min_runs: Annotated[int, Meta(ge=0, description="Minimum number of runs to rank a parameter.")]
    method: str
    parameters: list[ParameterImportance]


@bp.route("/lineage/importance", methods=["GET", "POST"])
@Operation(answer=ImportanceRanking, parameters=(TARGET, QUERY, WHERE), errors=(StillLoading,))
def importance(params: Params) -> Response:
    """Importance of each parameter for a metric, over the runs that match."""
    tables = current_tables()

    def build() -> Response:
        target = target_of(params)
        searched = table_with_columns(params, [target])
        table = searched.table
        rows = matching_rows(table, query=params[QUERY], where=params[WHERE])
        ranking = importances(table, rows, target)
        judged = int(table.column(target).is_number[rows].sum())
        body: ImportanceRanking = {
            "target": target,
            "runs": judged,
            "min_runs": FEWEST_RUNS,
            "method": method_description(ranking),
            "parameters": [
                ParameterImportance(
                    name=each.name,
                    importance=each.importance,
                    direction=each.direction,
                    runs=each.runs,
                    method=each.method,
                    reason=each.reason,
                )
                for each in ranking
            ],
        }
        return partial_response(body, sorted(searched.rebuilding))

    return conditional_response((tables.state(), current_runs().state()), build)


def target_of(params: Params) -> str:
    """The column that is asked for, else the main metric of the runs."""
    if params[TARGET]:
        return str(params[TARGET])
    metric = current_metric_choice().of(current_runs().get())
    if metric is None:
        raise BadParameter("target: no metric to rank parameters by; select a column.", parameter="target")
    return metric.column


def table_with_columns(params: Params, names: Sequence[str]) -> RunTable:
    """The table with further columns, and with those that query and conditions look at."""
    where = params[WHERE]
    columns = [*names, *(where if isinstance(where, dict) else ())]
    tables = current_runs()
    return with_named_columns(tables, tables.get(), columns, mentioned_names(params[QUERY]))


_DEPTH = whole("depth", "How many runs away to follow links.", default=2, lowest=0)


@response_type
class LineageNode:
    """A run, one of its inputs or one of its outputs."""

    id: str
    kind: NodeKind
    label: str
    run: Annotated[str, Meta(description="ID of the run that it is or belongs to; empty if that run is not here.")]
    details: Annotated[JsonObject, Meta(description="What is known of it.")]


@response_type
class LineageEdge:
    source: Annotated[str, Meta(description="ID of a node.")]
    target: Annotated[str, Meta(description="ID of a node.")]
    relation: str


@response_type
class LineageNeighbourhood:
    """The part of the lineage graph around a run."""

    nodes: list[LineageNode]
    edges: list[LineageEdge]
    is_truncated: Annotated[bool, Meta(description="Whether nodes were left out because of the limit.")]


@bp.get("/lineage/graph/<run>")
@Operation(answer=LineageNeighbourhood, parameters=(_DEPTH,), errors=(RunNotFound, StillLoading))
def graph(params: Params, run: str) -> Response:
    """Lineage graph around a run: data, runs, checkpoints, evaluations."""
    tables = current_tables()
    current_reader().runs.get(run)

    def build() -> Response:
        neighbourhood = tables.graph().around(run, min(params[_DEPTH], 20))
        nodes = [
            LineageNode(id=node.id, kind=node.kind, label=node.label, run=node.run, details=json_value(node.details))
            for node in neighbourhood.nodes.values()
        ]
        edges = [
            LineageEdge(source=link.begin, target=link.end, relation=link.relation)
            for link in neighbourhood.links.values()
        ]
        return json_response(LineageNeighbourhood(nodes=nodes, edges=edges, is_truncated=neighbourhood.is_cut))

    return conditional_response(tables.state(), build)


@response_type
class RunLineage:
    """Lineage of a run."""

    values: Annotated[dict[str, JsonScalar], Meta(description="By name of the column.")]
    parts: Annotated[JsonObject, Meta(description="MindSpore's events, named as in MindInsight's Python API.")]
    pipeline: Annotated[JsonObject | None, Meta(description="Data processing: an operator with those that feed it.")]
    parents: Annotated[
        list[dict[str, str]], Meta(description="`relation`, and `run` as a path from the directory of this run.")
    ]
    inputs: Annotated[list[JsonObject], Meta(description="Artifacts that the run read.")]
    outputs: Annotated[list[JsonObject], Meta(description="Artifacts that the run wrote.")]
    code: Annotated[JsonObject, Meta(description="Repository, commit and uncommitted changes.")]
    environment: Annotated[JsonObject, Meta(description="Machine, packages and command line.")]
    metrics: Annotated[
        list[dict[str, str]], Meta(description="Scalars that count as results: `tag`, `group` and `label`.")
    ]
    domains: Annotated[
        JsonObject, Meta(description="Allowed values by parameter: a list of choices, or `min` and `max`.")
    ]
    problems: Annotated[list[str], Meta(description="What could not be read.")]


@bp.get("/lineage/records/<run>")
@Operation(answer=RunLineage, errors=(RunNotFound, StillLoading))
def whole_record(params: Params, run: str) -> Response:
    """Complete lineage of a run, with code and environment."""
    reader = current_reader()
    reader.runs.get(run)
    return conditional_response(reader.runs.versions([run]), lambda: json_response(_lineage(_record(run))))


def _lineage(record: LineageRecord) -> RunLineage:
    return RunLineage(
        values=json_value(record.values),
        parts=json_value(record.parts),
        pipeline=json_value(record.pipeline),
        parents=record.parents,
        inputs=json_value(record.inputs),
        outputs=json_value(record.outputs),
        code=json_value(record.code),
        environment=json_value(record.environment),
        metrics=record.metrics,
        domains=json_value(record.domains),
        problems=record.problems,
    )


_A = text("a", "ID of the first run.")
_B = text("b", "ID of the second run.")
_TAG = text("tag", "Scalar tag whose curves are compared; none by default.")


@response_type
class RunDifference:
    """Something in which two runs differ."""

    kind: Kind
    name: str
    a: JsonScalar | None
    b: JsonScalar | None
    importance: Annotated[
        float | None, Meta(description="What the parameter says about the target over all runs; null if unknown.")
    ]


class RunDiff(PartialResponse):
    """How two runs differ."""

    differences: Annotated[list[RunDifference], Meta(description="Likely reasons first.")]
    code: Annotated[str, Meta(description="Unified diff of the uncommitted changes.")]
    divergence_step: Annotated[int | None, Meta(description="First step at which the curves of the tag diverge.")]
    target: Annotated[str, Meta(description="Column by which parameters are ranked; empty if none.")]


@bp.get("/lineage/why")
@Operation(answer=RunDiff, parameters=(_A, _B, _TAG, TARGET), errors=(RunNotFound, StillLoading))
def why(params: Params) -> Response:
    """How two runs differ, likely reasons first, and where their curves diverge."""
    tables, reader = current_tables(), current_reader()
    runs = reader.runs.get(params[_A]), reader.runs.get(params[_B])
    a, b = (run.id for run in runs)

    def build() -> Response:
        table = tables.get()
        left, right = (Side(run.name, _record(run.id), _results(table, run.id)) for run in runs)
        target = params[TARGET] or _common_result(left.results, right.results)
        ids = [a, b] if params[_TAG] and a != b else []
        curves: Intact[list[Curve]] = read_part(
            reader, ids, lambda intact: reader.scalars(intact, [params[_TAG]], max_points=None), empty=[]
        )
        curve_a, curve_b = (next((curve for curve in curves.answer if curve.run == run), None) for run in (a, b))
        ranked = differences(left, right, _importance_of(tables, target))
        body: RunDiff = {
            "differences": [
                RunDifference(
                    kind=each.kind,
                    name=each.name,
                    a=json_value(each.a),
                    b=json_value(each.b),
                    importance=each.importance,
                )
                for each in ranked
            ],
            "code": code_difference(left.record, right.record),
            "divergence_step": None if curve_a is None or curve_b is None else divergence_step(curve_a, curve_b),
            "target": target,
        }
        return partial_response(body, sorted(table.rebuilding.union(curves.rebuilding)))

    return conditional_response(tables.state(), build)


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
    return {each.name: each.importance for each in importances(table, matching_rows(table), target)}


_SCALARS = Repeated("scalars", "Additional columns of scalars, such as `scalar/loss/last`.")
_FORMAT = choice("format", "File format.", (*EXPORTS, "openlineage"), default="csv")


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
def export(params: Params) -> Response:
    """All runs with their lineage as a file, or as OpenLineage events."""
    tables = current_tables()

    def build() -> Response:
        scalars: list[str] = params[_SCALARS]
        searched = table_with_columns(params, [*scalars, *sort_names(params[SORT])])
        searched.refuse_partial()
        table = searched.table
        if strange := [name for name in scalars if not is_scalar_column(name)]:
            raise BadParameter(f"scalars: unknown column {strange[0][:200]!r}.", parameter=_SCALARS.name)
        rows = matching_rows(table, query=params[QUERY], where=params[WHERE], sort=params[SORT]).tolist()
        if params[_FORMAT] == "openlineage":
            data, content_type, ending = _events(tables, rows), "application/json", "openlineage.json"
        else:
            content_type, encode = EXPORTS[params[_FORMAT]]
            names = list(dict.fromkeys([*tables.get().table.names, *scalars]))
            data, ending = encode(table, names, rows), params[_FORMAT]
        answer = Response(data, content_type=content_type)
        answer.headers["Content-Disposition"] = f'attachment; filename="lineage.{ending}"'
        return answer

    # By and by runs count as ended, without any change of the index.
    growing = len(_growing(tables)) if params[_FORMAT] == "openlineage" else 0
    return conditional_response((tables.state(), growing), build)


def _growing(tables: RunTables) -> set[int]:
    """The rows of the runs that are expected to go on."""
    since = growing_since()
    return {row for row, at in enumerate(tables.get().table.column(UPDATED).values) if float(at or 0.0) > since}


def _events(tables: RunTables, rows: list[int]) -> bytes:
    runs, graph, growing = tables.get(), tables.graph(), _growing(tables)
    table = runs.table
    names, created, updated = (table.column(name).values for name in ("run", "created_at", "updated_at"))
    results = {name: table.column(name).values for name in table.names if name.startswith("metric/")}
    namespace = Path(current_state().settings.summary_base_dir).name or "runs"
    exported: list[dict[str, object]] = []
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
        exported += events(namespace, source)
    return orjson.dumps(exported, option=orjson.OPT_INDENT_2)


def _record(run: str) -> LineageRecord:
    stored = current_reader().runs.lineage_record(run)
    return LineageRecord.from_json(json.loads(stored)) if stored else LineageRecord()
