"""Routes of the timeline: tracks, visible rectangles, search, selection statistics, flows, counters."""

from __future__ import annotations

from typing import Annotated, Literal

from flask import Blueprint, request
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.http.compression import accepts_gzip, squeezed_answer
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, Repeated, text, whole, words
from mindinsight_like.http.response_types import Integers, Numbers, response_type
from mindinsight_like.profiler.analysis.timeline.details import FlowList
from mindinsight_like.profiler.analysis.timeline.timeline import SliceSearch, TimelineSelection, TrackRow
from mindinsight_like.profiler.jobs.analysis_jobs import Opened
from mindinsight_like.profiler.jobs.measures import measures
from mindinsight_like.profiler.routes.answering import (
    ERRORS,
    FROM,
    LIMIT,
    OFFSET,
    TO,
    TRACKS,
    AnalysisStatus,
    answered,
)

bp = Blueprint("profile_timeline", __name__)

_WIDTH = whole("width", "Pixels that the range is drawn on.", default=1000, lowest=1, highest=20_000)
_QUERY = words("q", "Words that a name has, in any order, in upper or lower case.")
_FLOW_LIMIT = whole("limit", "Maximum number of flows.", default=1000, lowest=0, highest=100_000)
_ROW = whole("row", "Only flows that start or end at this slice.", default=None, lowest=0, highest=2**31 - 1)
_NAME = Repeated("name", "Only counters of these names; all by default.")
_ETAG = text("etag", "The `names_etag` of `/tracks`; the response can then be cached forever.")

CounterSource = Annotated[
    Literal["trace", "run"], Meta(description="The recording, or scalars that its run logged at the same time.")
]


@response_type
class CounterName:
    """A counter that can be shown beside the timeline."""

    name: str
    unit: str
    source: CounterSource


@response_type
class TimelineTracks:
    """Threads and streams of a recording; nanoseconds."""

    from_ns: int
    to_ns: int
    origin_ns: Annotated[int, Meta(description="Unix time of the origin; 0 if unknown.")]
    tracks: list[TrackRow]
    counters: list[CounterName]
    names_etag: Annotated[str, Meta(description="For `etag` of `/texts`.")]


@response_type
class CounterSeries:
    """Points of a counter; where there are many, the smallest and the largest of each pixel."""

    name: str
    unit: str
    source: CounterSource
    time_ns: Integers
    value: Numbers
    total: Annotated[int, Meta(ge=0, description="Number of points before downsampling.")]
    downsampled: bool


@response_type
class CounterSeriesList:
    counters: list[CounterSeries]


@bp.get("/profiles/<id>/tracks")
@Operation(answer=TimelineTracks, errors=ERRORS, waiting=AnalysisStatus)
def profile_tracks(params: Params, id: str) -> Response:
    """Threads and streams of the profile, and its counters."""

    def build(opened: Opened) -> TimelineTracks:
        tracks = opened.analysed.tracks()
        return TimelineTracks(
            from_ns=tracks.from_ns,
            to_ns=tracks.to_ns,
            origin_ns=tracks.origin_ns,
            tracks=tracks.tracks,
            counters=[
                CounterName(name=each.name, unit=each.unit, source=each.source)
                for each in measures(current_reader(), opened, width=1)
            ],
            names_etag=opened.state,
        )

    return answered(id, build, with_run=True)


@bp.get("/profiles/<id>/timeline")
@Operation(
    answer=None,
    parameters=(FROM, TO, _WIDTH, TRACKS),
    errors=ERRORS,
    waiting=AnalysisStatus,
    other_formats={"application/octet-stream": "Columns as described in docs/rest-api.md."},
)
def profile_timeline(params: Params, id: str) -> Response:
    """What is visible of a time range, as binary columns."""

    def build(opened: Opened) -> Response:
        window = opened.analysed.window(*_range(params, opened), params[_WIDTH], params[TRACKS])
        answer = Response(window, content_type="application/octet-stream")
        answer.vary.add("Accept-Encoding")
        return squeezed_answer(answer) if accepts_gzip(request) else answer

    return answered(id, build)


@bp.get("/profiles/<id>/texts")
@Operation(answer=list[str], parameters=(_ETAG,), errors=ERRORS, waiting=AnalysisStatus)
def profile_texts(params: Params, id: str) -> Response:
    """All names in the profile; the timeline refers to them by position."""
    return answered(id, lambda opened: opened.analysed.texts(), lasts_for=params[_ETAG])


@bp.get("/profiles/<id>/timeline/search")
@Operation(
    answer=SliceSearch,
    parameters=(_QUERY, OFFSET, LIMIT),
    errors=ERRORS,
    waiting=AnalysisStatus,
)
def timeline_search(params: Params, id: str) -> Response:
    """Slices whose names contain all of the words, in order of time."""
    return answered(
        id, lambda opened: opened.analysed.search(params[_QUERY], offset=params[OFFSET], limit=params[LIMIT])
    )


@bp.get("/profiles/<id>/timeline/selection")
@Operation(
    answer=TimelineSelection,
    parameters=(FROM, TO, TRACKS),
    errors=ERRORS,
    waiting=AnalysisStatus,
)
def timeline_selection(params: Params, id: str) -> Response:
    """Operators in a time range, by name. Only the time inside the range counts."""
    return answered(id, lambda opened: opened.analysed.selection(*_range(params, opened), params[TRACKS]))


@bp.get("/profiles/<id>/timeline/flows")
@Operation(
    answer=FlowList,
    parameters=(FROM, TO, TRACKS, _FLOW_LIMIT, _ROW),
    errors=ERRORS,
    waiting=AnalysisStatus,
)
def timeline_flows(params: Params, id: str) -> Response:
    """Flows between slices in a time range."""
    return answered(
        id,
        lambda opened: opened.analysed.flows(
            *_range(params, opened), tracks=params[TRACKS], limit=params[_FLOW_LIMIT], row=params[_ROW]
        ),
    )


@bp.get("/profiles/<id>/counters")
@Operation(
    answer=CounterSeriesList,
    parameters=(FROM, TO, _WIDTH, _NAME),
    errors=ERRORS,
    waiting=AnalysisStatus,
)
def profile_counters(params: Params, id: str) -> Response:
    """Measures over time: those of the recording, and scalars `system/…` of its run at the same time.

    Where there are many points, the smallest and the largest of each pixel.
    """

    def build(opened: Opened) -> CounterSeriesList:
        names: list[str] | None = params[_NAME] if params.has(_NAME) else None
        counters = measures(current_reader(), opened, span=_range(params, opened), width=params[_WIDTH], names=names)
        return CounterSeriesList(
            counters=[
                CounterSeries(
                    name=each.name,
                    unit=each.unit,
                    source=each.source,
                    time_ns=each.time,
                    value=each.value,
                    total=each.total,
                    downsampled=each.total > len(each.time),
                )
                for each in counters
            ]
        )

    return answered(id, build, with_run=True)


def _range(params: Params, opened: Opened) -> tuple[int, int]:
    begin, end = opened.analysed.columns.span
    end = max(end, begin + 1)  # a recording without slices has no time
    from_ns, to_ns = params[FROM], params[TO]
    return begin if from_ns is None else from_ns, end if to_ns is None else to_ns
