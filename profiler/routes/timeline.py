"""The timeline of a profile: tracks, what a window shows, search, statistics of a selection, arrows, counters."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, request
from flask.wrappers import Response

from mindinsight_like.profiler.results.analyses import Opened
from mindinsight_like.profiler.results.measures import measures
from mindinsight_like.profiler.routes.answering import (
    COLUMN,
    ERRORS,
    FROM,
    LIMIT,
    OFFSET,
    ROW,
    TO,
    TRACKS,
    WAITING,
    answered,
)
from mindinsight_like.web.compression import accepts_gzip, squeezed_answer
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, Repeated, text, whole
from mindinsight_like.web.schemas import BOOLEAN, COUNT, NUMBER, STRING, WHOLE, Schema, choice, listed, record
from mindinsight_like.web.source import current_reader

bp = Blueprint("profile_timeline", __name__)

_WIDTH = whole("width", "Pixels that the range is drawn on.", default=1000, lowest=1, highest=20_000)
_QUERY = text("q", "Words that a name has, in any order, in upper or lower case.")
_FLOW_LIMIT = whole("limit", "How many arrows to answer with at most.", default=1000, lowest=0, highest=100_000)
_ROW = whole("row", "Only arrows that begin or end with this slice.", default=None, lowest=0, highest=2**31 - 1)
_NAME = Repeated("name", "Only counters of these names; all by default.")
_ETAG = text("etag", "The `names_etag` of `/tracks`: the answer never changes then.")

_OBJECT: Schema = {"type": "object"}
_TRACK = record(id=COUNT, name=STRING, process=STRING, lanes=COUNT, slices=COUNT)
_COUNTER = record(name=STRING, unit=STRING, source=choice("trace", "run"))


@bp.get("/profiles/<id>/tracks")
@Operation(
    answer=record(
        from_ns=WHOLE,
        to_ns=WHOLE,
        origin_ns=WHOLE | {"description": "Unix time of 0, 0 where only differences are known."},
        tracks=listed(_TRACK),
        counters=listed(_COUNTER),
        names_etag=STRING,
    ),
    errors=ERRORS,
    waiting=WAITING,
)
def profile_tracks(given: Given, id: str) -> Response:
    """Threads and streams of the recording, and the counters that can be shown beside them."""

    def build(opened: Opened) -> dict[str, Any]:
        found = opened.analysed.tracks()
        listed_ones = [
            {"name": each.name, "unit": each.unit, "source": each.source}
            for each in measures(current_reader(), opened, width=1)
        ]
        return {**found, "counters": listed_ones, "names_etag": opened.state}

    return answered(id, build, with_run=True)


@bp.get("/profiles/<id>/timeline")
@Operation(
    answer=None,
    parameters=(FROM, TO, _WIDTH, TRACKS),
    errors=ERRORS,
    waiting=WAITING,
    other_formats={"application/octet-stream": "Columns as described in docs/rest-api.md."},
)
def profile_timeline(given: Given, id: str) -> Response:
    """What a screen shows of a range of time, as columns in binary."""

    def build(opened: Opened) -> Response:
        window = opened.analysed.window(*_range(given, opened), given[_WIDTH], given[TRACKS])
        answer = Response(window, content_type="application/octet-stream")
        answer.vary.add("Accept-Encoding")
        return squeezed_answer(answer) if accepts_gzip(request) else answer

    return answered(id, build)


@bp.get("/profiles/<id>/texts")
@Operation(answer=listed(STRING), parameters=(_ETAG,), errors=ERRORS, waiting=WAITING)
def profile_texts(given: Given, id: str) -> Response:
    """All names of the recording; the timeline refers to them by position."""
    return answered(id, lambda opened: opened.analysed.texts(), lasts_for=given[_ETAG])


@bp.get("/profiles/<id>/timeline/search")
@Operation(
    answer=record(total=COUNT, names={}, rows=listed(_OBJECT), density=listed(COUNT)),
    parameters=(_QUERY, OFFSET, LIMIT),
    errors=ERRORS,
    waiting=WAITING,
)
def timeline_search(given: Given, id: str) -> Response:
    """Slices whose names have all of the words, in order of time."""
    return answered(id, lambda opened: opened.analysed.search(given[_QUERY], offset=given[OFFSET], limit=given[LIMIT]))


@bp.get("/profiles/<id>/timeline/selection")
@Operation(
    answer=record(total=COUNT, from_ns=WHOLE, to_ns=WHOLE, columns=listed(COLUMN), rows=listed(ROW)),
    parameters=(FROM, TO, TRACKS),
    errors=ERRORS,
    waiting=WAITING,
)
def timeline_selection(given: Given, id: str) -> Response:
    """The operators of a range of time, by name; of what reaches out of it only the part inside counts."""
    return answered(id, lambda opened: opened.analysed.selection(*_range(given, opened), given[TRACKS]))


@bp.get("/profiles/<id>/timeline/flows")
@Operation(
    answer=record(total=COUNT, flows=listed(_OBJECT)),
    parameters=(FROM, TO, TRACKS, _FLOW_LIMIT, _ROW),
    errors=ERRORS,
    waiting=WAITING,
)
def timeline_flows(given: Given, id: str) -> Response:
    """Arrows between slices in a range of time."""
    return answered(
        id,
        lambda opened: opened.analysed.flows(
            *_range(given, opened), tracks=given[TRACKS], limit=given[_FLOW_LIMIT], row=given[_ROW]
        ),
    )


@bp.get("/profiles/<id>/counters")
@Operation(
    answer=record(
        counters=listed(
            record(
                name=STRING,
                unit=STRING,
                source=choice("trace", "run"),
                time_ns=listed(NUMBER),
                value=listed(NUMBER),
                total=COUNT,
                thinned=BOOLEAN,
            )
        )
    ),
    parameters=(FROM, TO, _WIDTH, _NAME),
    errors=ERRORS,
    waiting=WAITING,
)
def profile_counters(given: Given, id: str) -> Response:
    """Measures over time: those of the recording, and scalars `system/…` of its run at the same time.

    Where there are many points, the smallest and the largest of each pixel.
    """

    def build(opened: Opened) -> dict[str, Any]:
        names: list[str] | None = given[_NAME] if given.has(_NAME) else None
        found = measures(current_reader(), opened, span=_range(given, opened), width=given[_WIDTH], names=names)
        return {
            "counters": [
                {
                    "name": each.name,
                    "unit": each.unit,
                    "source": each.source,
                    "time_ns": each.time,
                    "value": each.value,
                    "total": each.total,
                    "thinned": each.total > len(each.time),
                }
                for each in found
            ]
        }

    return answered(id, build, with_run=True)


def _range(given: Given, opened: Opened) -> tuple[int, int]:
    begin, end = opened.analysed.columns.span
    end = max(end, begin + 1)  # a recording without slices has no time
    asked_begin, asked_end = given[FROM], given[TO]
    return begin if asked_begin is None else asked_begin, end if asked_end is None else asked_end
