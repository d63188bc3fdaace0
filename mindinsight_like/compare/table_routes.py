"""Routes of the runs of a comparison: those to choose from, and their values beside a baseline's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.compare.comparison import ComparedRun, Look, chosen
from mindinsight_like.compare.differences import REDUCTIONS, Measured, Values, compared, together, values_of
from mindinsight_like.compare.parameters import CENTRE, COLOUR_BY, DASH_BY, FACET_BY, GROUP_BY, GROUP_PATTERN, TAGS
from mindinsight_like.compare.selection import RULES, RUNS, SELECTION, chosen_rows, found_rows
from mindinsight_like.errors import RunNotFound, StillLoading
from mindinsight_like.lineage.current import current_tables
from mindinsight_like.lineage.named_columns import with_named_columns
from mindinsight_like.lineage.queries import in_vain, mentioned
from mindinsight_like.lineage.run_table import RunTable
from mindinsight_like.lineage.table_routes import IN_VAIN, QUERY, WHERE
from mindinsight_like.web.answers import json_answer
from mindinsight_like.web.numbers import number
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, text
from mindinsight_like.web.schemas import BOOLEAN, COUNT, NUMBER, STRING, Schema, listed, or_null, record, with_optional
from mindinsight_like.web.source import current_annotations, current_reader

bp = Blueprint("compare_table", __name__)


def chosen_runs(given: Given, look: Look) -> list[ComparedRun]:
    """The runs that were asked for; raises RunNotFound, BadParameter."""
    table = _table(given, look)
    return chosen(table, chosen_rows(given, table, current_annotations().of_runs()), look)


def _table(given: Given, look: Look) -> RunTable:
    """The runs with all columns that are asked for in the rule and the look."""
    where = given[WHERE]
    names = [*look.columns, *(where if isinstance(where, dict) else ())]
    return with_named_columns(current_tables(), names, mentioned(given[QUERY]))


@bp.post("/compare/runs")
@Operation(
    answer=record(
        runs=listed(
            record(
                run=STRING,
                name=STRING,
                group=STRING,
                colour=STRING,
                dash=STRING,
                facet=STRING,
                is_found=BOOLEAN | {"description": "By the rule."},
            )
        ),
        gone=listed(STRING) | {"description": "Ids that no run has."},
        labels=listed(record(label=STRING, runs=COUNT)),
        in_vain=IN_VAIN,
    ),
    parameters=(RUNS, *RULES, GROUP_BY, GROUP_PATTERN, COLOUR_BY, DASH_BY, FACET_BY),
    errors=(StillLoading,),
)
def runs_to_compare(given: Given) -> Response:
    """Runs that a rule finds, the newest first, then others that are given by id; and all labels there are."""
    look = Look(given[GROUP_BY], given[GROUP_PATTERN], given[COLOUR_BY], given[DASH_BY], given[FACET_BY])
    table, annotations = _table(given, look), current_annotations().of_runs()
    ids: list[str] = given[RUNS]
    found = found_rows(given, table, annotations)
    has = set(found)
    others = [place for run in ids if (place := table.places.get(run)) is not None and place not in has]
    runs = chosen(table, [*found, *others], look)
    labels = Counter(
        label for run, each in annotations.items() if run in table.places for label in dict.fromkeys(each.labels)
    )
    vain = in_vain(table.table, query=given[QUERY], where=given[WHERE])
    return json_answer(
        {
            "runs": [each.__dict__ | {"is_found": place < len(found)} for place, each in enumerate(runs)],
            "gone": [run for run in ids if run not in table.places],
            "labels": [{"label": label, "runs": labels[label]} for label in sorted(labels)],
            "in_vain": [each.described() for each in vain],
        }
    )


_BASELINE = text("baseline", "Id of the run, or name of the group, that the others are measured against.")


def _by_tag(value: Schema) -> Schema:
    named = {"type": "object", "properties": dict.fromkeys(REDUCTIONS, value)}
    return {"type": "object", "additionalProperties": named}


_ROW = with_optional(
    record(
        name=STRING,
        values=_by_tag(NUMBER),
        differences=_by_tag(or_null(NUMBER)) | {"description": "In percent; null where that says nothing."},
    ),
    run=STRING,
    group=STRING,
    runs=listed(STRING),
    n={"type": "object", "additionalProperties": COUNT, "description": "By tag: how many runs of the group have it."},
)


@bp.post("/compare/table")
@Operation(
    answer=record(rows=listed(_ROW)),
    parameters=(*SELECTION, TAGS, GROUP_BY, GROUP_PATTERN, CENTRE, _BASELINE),
    errors=(RunNotFound, StillLoading),
)
def compared_values(given: Given) -> Response:
    """The last, smallest and largest value per run, or group, and tag, and how far they are from a baseline's."""
    runs = chosen_runs(given, Look(given[GROUP_BY], given[GROUP_PATTERN]))
    if given[GROUP_BY] or given[GROUP_PATTERN]:
        return json_answer({"rows": _group_rows(given, runs)})
    return json_answer({"rows": _run_rows(given, runs)})


def _run_rows(given: Given, runs: Sequence[ComparedRun]) -> list[dict[str, object]]:
    baseline = given[_BASELINE]
    if baseline and baseline not in current_tables().get().places:
        raise RunNotFound(f"there is no run with the id {baseline!r}", run=baseline)
    asked = dict.fromkeys([*(each.run for each in runs), *([baseline] if baseline else [])])
    tags: list[str] = given[TAGS]
    values = values_of(current_reader(), list(asked), tags)
    base = values[baseline] if baseline else None
    return [{"run": each.run, "name": each.name} | _measured(values[each.run], base) for each in runs]


def _group_rows(given: Given, runs: Sequence[ComparedRun]) -> list[dict[str, object]]:
    groups: dict[str, list[str]] = {}
    for each in runs:
        groups.setdefault(each.group, []).append(each.run)
    tags: list[str] = given[TAGS]
    values = values_of(current_reader(), [each.run for each in runs], tags)
    measured = together(values, groups, given[CENTRE])
    base = measured.get(given[_BASELINE], Measured({})).values if given[_BASELINE] else None
    return [
        {"group": group, "name": group, "runs": members, "n": measured[group].counts}
        | _measured(measured[group].values, base)
        for group, members in groups.items()
    ]


def _measured(values: Values, base: Values | None) -> dict[str, object]:
    differences = {} if base is None else compared(values, base)
    return {
        key: {tag: {name: number(value) for name, value in named.items()} for tag, named in found.items()}
        for key, found in (("values", values), ("differences", differences))
    }
