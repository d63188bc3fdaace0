"""Routes of operators, steps, single slices and flame graphs of a profile."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Annotated, Any, cast

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, choice, text, whole
from mindinsight_like.profiler.analysis.columns.tables import Row, TableColumn
from mindinsight_like.profiler.analysis.operators.operator_table import OperatorTable
from mindinsight_like.profiler.analysis.steps.step_list import StepList
from mindinsight_like.profiler.analysis.timeline.details import SliceDetails
from mindinsight_like.profiler.analysis.timeline.flame import FlameGraph
from mindinsight_like.profiler.jobs.analysis_jobs import Opened
from mindinsight_like.profiler.jobs.arguments import arguments_of, stack_in
from mindinsight_like.profiler.routes.answering import (
    ERRORS,
    LIMIT,
    OFFSET,
    SEARCH,
    AnalysisStatus,
    answered,
    answered_together,
    current_analyses,
)
from mindinsight_like.tables.scalar_tables import CSV, cell

bp = Blueprint("profile_operators", __name__)

_BY = choice("by", "What a row is.", ("type", "name", "shape", "instance"), default="type")
_SIDE = text("side", "Only of this side, such as `host` or `device`; all by default.")
_TYPE = text("type", "Only of this type.")
_NAME = text("name", "Only of this name.")
_SORT = text("sort", "Column to sort by; backwards with a `-` before it, which is `-self` by default.")
_FORMAT = choice("format", "Format of the response; `csv` has all rows.", ("json", "csv"), default="json")
_STEP = whole("step", "Number of a step in the list of steps, from 0 on; all by default.", default=None, lowest=0)
_STEP_NUMBER = whole(
    "step",
    "`number` of the step for `collectives`; a mean step by default; `steps` has all steps anyway.",
    default=None,
    lowest=0,
)
_STEP_LIMIT = whole("limit", "Maximum number of steps; all by default.", default=None, lowest=0)
_TRACK = whole("track", "Id of a track; all by default.", default=None, lowest=0)
_FLAME_BY = choice("by", "What the widths are: time, or device work launched.", ("time", "device"), default="time")
_OTHER = text(
    "other", "Id of another profile to compare with: nodes have `other_total`, `other_self` and `other_count`."
)
_NODE_LIMIT = whole("limit", "Maximum number of nodes.", default=5000, lowest=1, highest=100_000)

_CSV_ROWS = 100_000  # at once; each time all rows are sorted


class TimelineSlice(SliceDetails):
    """A slice of the timeline with its arguments."""

    arguments: Annotated[dict[str, Any], Meta(description="As the file has them.")]


@bp.get("/profiles/<id>/operators")
@Operation(
    answer=OperatorTable,
    parameters=(_BY, _SIDE, _TYPE, _NAME, SEARCH, _SORT, OFFSET, LIMIT, _FORMAT),
    errors=ERRORS,
    waiting=AnalysisStatus,
    other_formats={CSV: "All rows of the table."},
)
def profile_operators(params: Params, id: str) -> Response:
    """Operators by type, name, name and shapes, or every single execution; times are milliseconds."""

    def build(opened: Opened) -> OperatorTable | Response:
        if params[_FORMAT] == "json":
            return _operators(opened, params, offset=params[OFFSET], limit=params[LIMIT])
        opened.analysed.verify()
        lines = _csv(opened, params)
        # What cannot be answered is refused before the first byte is sent.
        answer = Response(itertools.chain([next(lines)], lines), content_type=f"{CSV}; charset=utf-8")
        stem = re.sub(r"[^A-Za-z0-9-]+", "_", opened.profile.run_name).strip("_") or "profile"
        answer.headers["Content-Disposition"] = f'attachment; filename="{stem[:100]}_operators_by_{params[_BY]}.csv"'
        return answer

    return answered(id, build)


def _operators(opened: Opened, params: Params, *, offset: int, limit: int) -> OperatorTable:
    return opened.analysed.operators(
        params[_BY],
        side=params[_SIDE],
        type=params[_TYPE] if params.has(_TYPE) else None,
        name=params[_NAME] if params.has(_NAME) else None,
        search=params[SEARCH],
        sort=params[_SORT] or "-self",
        offset=offset,
        limit=limit,
    )


def _csv(opened: Opened, params: Params) -> Iterator[bytes]:
    for offset in itertools.count(0, _CSV_ROWS):
        table = _operators(opened, params, offset=offset, limit=_CSV_ROWS)
        names = [column["name"] for column in table.columns]
        if offset == 0:
            yield (",".join(_heading(column) for column in table.columns) + "\n").encode()
        rows = cast(list[Row], table.rows)  # by the names of columns
        yield "".join(
            ",".join("" if row.get(name) is None else cell(str(row[name])) for name in names) + "\n" for row in rows
        ).encode()
        if len(rows) < _CSV_ROWS:
            return


def _heading(column: TableColumn) -> str:
    return cell(f"{column['name']} ({column['unit']})" if column["unit"] else column["name"])


@bp.get("/profiles/<id>/steps")
@Operation(
    answer=StepList,
    parameters=(_STEP_NUMBER, OFFSET, _STEP_LIMIT),
    errors=ERRORS,
    waiting=AnalysisStatus,
)
def profile_steps(params: Params, id: str) -> Response:
    """The training steps; the parts of a step add up to its duration. Times are milliseconds."""
    return answered(
        id, lambda opened: opened.analysed.steps(params[_STEP_NUMBER], offset=params[OFFSET], limit=params[_STEP_LIMIT])
    )


@bp.get("/profiles/<id>/slices/<int:row>")
@Operation(answer=TimelineSlice, errors=ERRORS, waiting=AnalysisStatus)
def profile_slice(params: Params, id: str, row: int) -> Response:
    """One slice of the timeline: its callers, what it launched, and its arguments as in the file."""

    def build(opened: Opened) -> TimelineSlice:
        details = opened.analysed.slice(row)
        arguments = arguments_of(opened, details["place"], current_analyses().base_dir)
        return {**details, "arguments": arguments, "stack": stack_in(arguments) or details["stack"]}

    return answered(id, build)


@bp.get("/profiles/<id>/flame")
@Operation(
    answer=FlameGraph,
    parameters=(_TRACK, _STEP, _FLAME_BY, _OTHER, _NODE_LIMIT),
    errors=ERRORS,
    waiting=AnalysisStatus,
)
def profile_flame(params: Params, id: str) -> Response:
    """Call trees merged by name: of all tracks or one, of the profile or a step, or the difference of two profiles."""
    by, limit = params[_FLAME_BY], params[_NODE_LIMIT]
    if params[_OTHER]:
        return answered_together(
            [id, params[_OTHER]],
            lambda both: both[0].analysed.flame_difference(both[1].analysed, by=by, most=limit),
        )
    return answered(
        id,
        lambda opened: opened.analysed.flame(track=params[_TRACK], step=params[_STEP], by=by, most=limit),
    )
