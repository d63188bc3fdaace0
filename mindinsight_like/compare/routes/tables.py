"""Routes of the runs of a comparison: the candidates, and their values compared with a baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, cast

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta
from typing_extensions import NotRequired, TypedDict

from mindinsight_like.compare import comparison
from mindinsight_like.compare.comparison import Look, compared_runs
from mindinsight_like.compare.differences import Measured, Values, differences_from, group_values, values_of
from mindinsight_like.compare.routes.curve_cache import current_cache
from mindinsight_like.compare.routes.parameters import (
    BASELINE_RUN,
    CENTRE,
    COLOUR_BY,
    DASH_BY,
    FACET_BY,
    GROUP_BY,
    GROUP_PATTERN,
    TAGS,
)
from mindinsight_like.compare.routes.selection import RULES, RUNS, SELECTION, rows_by_rule, selected_rows
from mindinsight_like.errors import RunNotFound, StillLoading
from mindinsight_like.http.index_access import current_annotations, current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, choice, text
from mindinsight_like.http.response_types import Count, PartialResponse, RunId, response_type
from mindinsight_like.http.responses import partial_response
from mindinsight_like.lineage.query.search import mentioned_names, type_mismatches
from mindinsight_like.lineage.routes.current_tables import current_runs, current_tables
from mindinsight_like.lineage.routes.tables import QUERY, WHERE, TypeMismatch, type_mismatch
from mindinsight_like.lineage.table.named_columns import with_named_columns
from mindinsight_like.lineage.table.run_table import RunTable
from mindinsight_like.store.annotations import Annotation
from mindinsight_like.store.intact import Intact, read_intact
from mindinsight_like.store.names import COUNTED_KINDS
from mindinsight_like.tables.json_numbers import JsonNumber, number

bp = Blueprint("compare_table", __name__)


def selected_runs(params: Params, look: Look) -> Intact[list[comparison.ComparedRun]]:
    """The runs that were asked for; raises RunNotFound, BadParameter."""
    table = _table(params, look)
    runs = compared_runs(table, selected_rows(params, table, current_annotations().of_runs()), look)
    return Intact(runs, _unjudged(params, look, table))


def _unjudged(params: Params, look: Look, table: RunTable) -> list[str]:
    """Runs that the rule or the look could not judge, since values of theirs are being rebuilt."""
    return sorted(table.rebuilding) if params[QUERY] or params[WHERE] or look.columns else []


def _table(params: Params, look: Look) -> RunTable:
    """The runs with all columns that are asked for in the rule and the look."""
    where = params[WHERE]
    names = [*look.columns, *(where if isinstance(where, dict) else ())]
    tables = current_runs()
    return with_named_columns(tables, tables.get(), names, mentioned_names(params[QUERY]))


@response_type
class ComparedRun:
    """A run with the group and looks it has in a comparison."""

    run: RunId
    name: str
    group: str
    colour: str
    dash: str
    facet: str


@response_type
class CandidateRun(ComparedRun):
    """A run to compare."""

    is_match: Annotated[bool, Meta(description="Whether it matches the rule.")]
    custom_name: Annotated[str, Meta(description="Name that people gave it; usually empty.")]
    own_colour: Annotated[str, Meta(description="Custom colour, such as `#1f77b4`; usually empty.")]


@response_type
class LabelCount:
    label: str
    runs: Count


class CandidateRunList(PartialResponse):
    runs: list[CandidateRun]
    missing: Annotated[list[str], Meta(description="IDs without a run.")]
    labels: list[LabelCount]
    without_data: Annotated[int, Meta(ge=0, description="Number of runs without data of the kind.")]
    type_mismatches: Annotated[list[TypeMismatch], Meta(description="Comparisons that never match.")]


KIND = choice("kind", "Only runs with data of this kind are found.", ("", *COUNTED_KINDS.values()), default="")


@bp.post("/compare/runs")
@Operation(
    only_reads=True,
    answer=CandidateRunList,
    parameters=(RUNS, KIND, *RULES, GROUP_BY, GROUP_PATTERN, COLOUR_BY, DASH_BY, FACET_BY),
    errors=(StillLoading,),
)
def runs_to_compare(params: Params) -> Response:
    """Runs that match a rule, newest first, then those selected by ID; and all labels."""
    look = Look(params[GROUP_BY], params[GROUP_PATTERN], params[COLOUR_BY], params[DASH_BY], params[FACET_BY])
    table, annotations = _table(params, look), current_annotations().of_runs()
    ids: list[str] = params[RUNS]
    rows = rows_by_rule(params, table, annotations)
    with_data = current_reader().runs.having(params[KIND]) if params[KIND] else set(table.ids)
    rows = [row for row in rows if table.ids[row] in with_data]
    has = set(rows)
    others = [place for run in ids if (place := table.places.get(run)) is not None and place not in has]
    runs = compared_runs(table, [*rows, *others], look)
    labels = Counter(
        label for run, each in annotations.items() if run in table.places for label in dict.fromkeys(each.labels)
    )
    mismatches = type_mismatches(table.table, query=params[QUERY], where=params[WHERE])
    body: CandidateRunList = {
        "runs": [
            _candidate(each, annotations.get(each.run, Annotation()), is_match=place < len(rows))
            for place, each in enumerate(runs)
        ],
        "missing": [run for run in ids if run not in table.places],
        "labels": [LabelCount(label=label, runs=labels[label]) for label in sorted(labels)],
        "without_data": sum(run not in with_data for run in table.ids),
        "type_mismatches": [type_mismatch(each) for each in mismatches],
    }
    return partial_response(body, _unjudged(params, look, table))


def _candidate(run: comparison.ComparedRun, annotation: Annotation, *, is_match: bool) -> CandidateRun:
    settings = annotation.settings
    return CandidateRun(**vars(run), is_match=is_match, custom_name=settings.name, own_colour=settings.colour)


_BASELINE = text("baseline", "ID of the run, or name of the group, that the others are compared with.")


class ReducedValues(TypedDict, total=False):
    """Values of a curve."""

    last: JsonNumber
    min: JsonNumber
    max: JsonNumber


class ReducedDifferences(TypedDict, total=False):
    """Differences from the baseline in percent; null where a percentage says nothing."""

    last: JsonNumber | None
    min: JsonNumber | None
    max: JsonNumber | None


class ComparedValues(TypedDict):
    """Values of a run or of a group."""

    name: str
    values: Annotated[dict[str, ReducedValues], Meta(description="By tag.")]
    differences: Annotated[dict[str, ReducedDifferences], Meta(description="By tag; empty without a baseline.")]
    run: NotRequired[Annotated[str, Meta(description="ID of the run; absent for a group.")]]
    group: NotRequired[Annotated[str, Meta(description="Name of the group; absent for a run.")]]
    runs: NotRequired[Annotated[list[str], Meta(description="IDs of the runs of the group; absent for a run.")]]
    n: NotRequired[
        Annotated[
            dict[str, Count], Meta(description="By tag: number of runs of the group that have it; absent for a run.")
        ]
    ]


class ComparedValuesTable(PartialResponse):
    rows: list[ComparedValues]


@bp.post("/compare/table")
@Operation(
    only_reads=True,
    answer=ComparedValuesTable,
    parameters=(*SELECTION, TAGS, GROUP_BY, GROUP_PATTERN, CENTRE, _BASELINE, BASELINE_RUN),
    errors=(RunNotFound, StillLoading),
)
def compared_values(params: Params) -> Response:
    """Last, smallest and largest value of each run or group, by tag, and their differences from a baseline."""
    runs = selected_runs(params, Look(params[GROUP_BY], params[GROUP_PATTERN]))
    is_grouped = bool(params[GROUP_BY] or params[GROUP_PATTERN])
    baseline = "" if is_grouped else params[_BASELINE]
    if baseline and baseline not in current_tables().get().places:
        raise RunNotFound(f"no run with id {baseline!r}", run=baseline)
    ids = dict.fromkeys([*(each.run for each in runs.answer), *([baseline] if baseline else [])])
    reader, tags = current_reader(), params[TAGS]
    cache, baseline_run = current_cache(), params[BASELINE_RUN]
    values = read_intact(reader, list(ids), lambda intact: values_of(reader, cache, intact, tags, baseline_run))
    by_run = {run: values.answer.get(run, {}) for run in ids}
    rows = (_group_rows if is_grouped else _run_rows)(params, runs.answer, by_run)
    body: ComparedValuesTable = {"rows": rows}
    return partial_response(body, list(dict.fromkeys([*runs.rebuilding, *values.rebuilding])))


def _run_rows(
    params: Params, runs: Sequence[comparison.ComparedRun], values: Mapping[str, Values]
) -> list[ComparedValues]:
    base = values[params[_BASELINE]] if params[_BASELINE] else None
    return [
        {
            "run": each.run,
            "name": each.name,
            "values": _values(values[each.run]),
            "differences": _differences(values[each.run], base),
        }
        for each in runs
    ]


def _group_rows(
    params: Params, runs: Sequence[comparison.ComparedRun], values: Mapping[str, Values]
) -> list[ComparedValues]:
    groups: dict[str, list[str]] = {}
    for each in runs:
        groups.setdefault(each.group, []).append(each.run)
    measured = group_values(values, groups, params[CENTRE])
    base = measured.get(params[_BASELINE], Measured({})).values if params[_BASELINE] else None
    return [
        {
            "group": group,
            "name": group,
            "runs": members,
            "n": measured[group].counts,
            "values": _values(measured[group].values),
            "differences": _differences(measured[group].values, base),
        }
        for group, members in groups.items()
    ]


def _values(values: Values) -> dict[str, ReducedValues]:
    by_tag = {tag: {name: number(value) for name, value in reduced.items()} for tag, reduced in values.items()}
    return cast(dict[str, ReducedValues], by_tag)


def _differences(values: Values, base: Values | None) -> dict[str, ReducedDifferences]:
    differences = {} if base is None else differences_from(values, base)
    by_tag = {tag: {name: number(value) for name, value in reduced.items()} for tag, reduced in differences.items()}
    return cast(dict[str, ReducedDifferences], by_tag)
