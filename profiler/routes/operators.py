"""Operators of a profile, its steps, single slices and merged call trees."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.scalar_tables import CSV, cell
from mindinsight_like.profiler.results.analyses import Opened
from mindinsight_like.profiler.results.arguments import arguments_of, stack_in
from mindinsight_like.profiler.routes.answering import (
    COLUMN,
    ERRORS,
    LIMIT,
    OFFSET,
    ROW,
    SEARCH,
    WAITING,
    answered,
    answered_together,
    current_analyses,
)
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, choice, text, whole
from mindinsight_like.web.schemas import COUNT, NUMBER, STRING, WHOLE, Schema, listed, or_null, record, with_optional

bp = Blueprint("profile_operators", __name__)

_BY = choice("by", "What a row is.", ("type", "name", "shape", "instance"), default="type")
_SIDE = text("side", "Only of this side, such as `host` or `device`; all by default.")
_TYPE = text("type", "Only of this type.")
_NAME = text("name", "Only of this name.")
_SORT = text("sort", "Column to sort by; backwards with a `-` before it, which is `-self` by default.")
_FORMAT = choice("format", "What to answer with; `csv` has all rows.", ("json", "csv"), default="json")
_STEP = whole("step", "Number of a step in the list of steps, from 0 on; all by default.", default=None, lowest=0)
_STEP_LIMIT = whole("limit", "How many steps to answer with at most; all by default.", default=None, lowest=0)
_TRACK = whole("track", "Id of a track; all by default.", default=None, lowest=0)
_FLAME_BY = choice("by", "What the widths are: time, or device work launched.", ("time", "device"), default="time")
_OTHER = text(
    "other", "Id of another profile to compare with: nodes have `other_total`, `other_self` and `other_count`."
)
_MOST = whole("most", "How many nodes to answer with at most.", default=5000, lowest=1, highest=100_000)

_CSV_ROWS = 100_000  # at once; each time all rows are sorted
_TABLE = record(total=COUNT, columns=listed(COLUMN), rows=listed(ROW))
_SIDES = listed(record(side=STRING, total=NUMBER, count=COUNT))
_OBJECT: Schema = {"type": "object"}
_NODE = record(id=WHOLE, parent=WHOLE, name=STRING, count=COUNT, total=NUMBER, self=NUMBER)


@bp.get("/profiles/<id>/operators")
@Operation(
    answer=with_optional(_TABLE, sides=_SIDES),
    parameters=(_BY, _SIDE, _TYPE, _NAME, SEARCH, _SORT, OFFSET, LIMIT, _FORMAT),
    errors=ERRORS,
    waiting=WAITING,
    other_formats={CSV: "All rows of the table."},
)
def profile_operators(given: Given, id: str) -> Response:
    """Operators by type, name, name and shapes, or every single execution; times are milliseconds."""
    asked: dict[str, Any] = {
        "side": given[_SIDE],
        "type": given[_TYPE] if given.has(_TYPE) else None,
        "name": given[_NAME] if given.has(_NAME) else None,
        "search": given[SEARCH],
        "sort": given[_SORT] or "-self",
    }

    def build(opened: Opened) -> dict[str, Any] | Response:
        if given[_FORMAT] == "json":
            return opened.analysed.operators(given[_BY], **asked, offset=given[OFFSET], limit=given[LIMIT])
        lines = _csv(opened, given[_BY], asked)
        # What cannot be answered is refused before the first byte is sent.
        answer = Response(itertools.chain([next(lines)], lines), content_type=f"{CSV}; charset=utf-8")
        stem = re.sub(r"[^A-Za-z0-9-]+", "_", opened.profile.run_name).strip("_") or "profile"
        answer.headers["Content-Disposition"] = f'attachment; filename="{stem[:100]}_operators_by_{given[_BY]}.csv"'
        return answer

    return answered(id, build)


def _csv(opened: Opened, by: str, asked: dict[str, Any]) -> Iterator[bytes]:
    for offset in itertools.count(0, _CSV_ROWS):
        table = opened.analysed.operators(by, **asked, offset=offset, limit=_CSV_ROWS)
        names = [column["name"] for column in table["columns"]]
        if offset == 0:
            yield (",".join(_heading(column) for column in table["columns"]) + "\n").encode()
        rows = table["rows"]
        yield "".join(
            ",".join("" if row.get(name) is None else cell(str(row[name])) for name in names) + "\n" for row in rows
        ).encode()
        if len(rows) < _CSV_ROWS:
            return


def _heading(column: dict[str, Any]) -> str:
    return cell(f"{column['name']} ({column['unit']})" if column["unit"] else str(column["name"]))


@bp.get("/profiles/<id>/steps")
@Operation(
    answer=with_optional(
        record(total=COUNT, parts=listed(STRING), steps=listed(_OBJECT), average=_OBJECT), collectives=listed(_OBJECT)
    ),
    parameters=(_STEP, OFFSET, _STEP_LIMIT),
    errors=ERRORS,
    waiting=WAITING,
)
def profile_steps(given: Given, id: str) -> Response:
    """The training steps; the parts of a step add up to its duration. Times are milliseconds."""
    return answered(
        id, lambda opened: opened.analysed.steps(given[_STEP], offset=given[OFFSET], limit=given[_STEP_LIMIT])
    )


@bp.get("/profiles/<id>/slices/<int:row>")
@Operation(
    answer=with_optional(
        record(
            row=WHOLE,
            name=STRING,
            type=STRING,
            start=NUMBER,
            duration=NUMBER,
            arguments=_OBJECT,
            stack=listed(STRING) | {"description": "Where in the user's code, the innermost call first."},
        ),
        self=NUMBER,
        depth=COUNT,
        parents=listed(_OBJECT),
        children=listed(_OBJECT),
        launched=listed(_OBJECT),
        launched_by=or_null(_OBJECT),
    ),
    errors=ERRORS,
    waiting=WAITING,
)
def profile_slice(given: Given, id: str, row: int) -> Response:
    """One slice of the timeline: what it is inside of, what it launched, and its arguments as the file has them."""

    def build(opened: Opened) -> dict[str, Any]:
        found = opened.analysed.slice(row)
        noted = arguments_of(opened, found["place"], current_analyses().base_dir)
        return {**found, "arguments": noted, "stack": stack_in(noted) or found["stack"]}

    return answered(id, build)


@bp.get("/profiles/<id>/flame")
@Operation(
    answer=with_optional(record(total=NUMBER, nodes=listed(_NODE), cut=COUNT), other_total=NUMBER),
    parameters=(_TRACK, _STEP, _FLAME_BY, _OTHER, _MOST),
    errors=ERRORS,
    waiting=WAITING,
)
def profile_flame(given: Given, id: str) -> Response:
    """Call trees merged by name, of all tracks or one, of the whole recording or one step; or of two recordings."""
    by, most = given[_FLAME_BY], given[_MOST]
    if given[_OTHER]:
        return answered_together(
            [id, given[_OTHER]],
            lambda both: both[0].analysed.flame_difference(both[1].analysed, by=by, most=most),
        )
    return answered(
        id,
        lambda opened: opened.analysed.flame(track=given[_TRACK], step=given[_STEP], by=by, most=most),
    )
