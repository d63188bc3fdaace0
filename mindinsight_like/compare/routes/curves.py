"""Routes of the curves of a comparison, and of the cache they come from."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta
from numpy.typing import NDArray
from typing_extensions import NotRequired, TypedDict

from mindinsight_like.compare import comparison
from mindinsight_like.compare.axes import STEP
from mindinsight_like.compare.cache import CacheState, CurveCache
from mindinsight_like.compare.comparison import Drawing, GroupSeries, Look, RunSeries, compare
from mindinsight_like.compare.packing import ColumnArray, pack_columns
from mindinsight_like.compare.routes.curve_cache import current_cache
from mindinsight_like.compare.routes.parameters import (
    AXIS,
    BAND,
    BASELINE_RUN,
    CENTRE,
    COLOUR_BY,
    DASH_BY,
    FACET_BY,
    FORMAT,
    FROM,
    GROUP_BY,
    GROUP_PATTERN,
    MAX_POINTS,
    MOST_POINTS,
    OUTERMOST,
    RESUME,
    SMOOTHING,
    TAGS,
    TO,
)
from mindinsight_like.compare.routes.selection import SELECTION
from mindinsight_like.compare.routes.tables import ComparedRun, selected_runs
from mindinsight_like.errors import RunNotFound, StillLoading
from mindinsight_like.expressions.derived import is_expression
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params
from mindinsight_like.http.response_types import (
    Count,
    Counts,
    Numbers,
    PartialResponse,
    RunId,
    Superseded,
    response_type,
)
from mindinsight_like.http.responses import json_response, marked_partial, partial_response
from mindinsight_like.lineage.routes.current_tables import current_tables
from mindinsight_like.store.intact import read_intact
from mindinsight_like.tables.json_numbers import column

bp = Blueprint("compare", __name__)

_BINARY = "application/octet-stream"

if TYPE_CHECKING:
    NullableNumbers = NDArray[Any] | list[float | None]
else:
    NullableNumbers = list[float | None]


@response_type
class CurveCacheUse:
    """The cache of the web process that answered."""

    runs: Count
    bytes: Count
    limit: Annotated[int, Meta(ge=0, description="Bytes it may hold.")]
    warm_runs: Annotated[int, Meta(ge=0, description="Number of most recently updated runs that are evicted last.")]
    hits: Count
    misses: Count


class SeriesIdentity(TypedDict):
    """A curve of a run, or of a group of runs, without its numbers."""

    tag: str
    source: str
    run: NotRequired[Annotated[str, Meta(description="ID of the run; absent for a group.")]]
    total_points: NotRequired[Annotated[int, Meta(ge=0, description="Before downsampling; absent for a group.")]]
    group: NotRequired[Annotated[str, Meta(description="Name of the group; absent for a run.")]]
    colour: NotRequired[Annotated[str, Meta(description="Of a group.")]]
    dash: NotRequired[Annotated[str, Meta(description="Of a group.")]]
    facet: NotRequired[Annotated[str, Meta(description="Of a group.")]]
    runs: NotRequired[Annotated[list[str], Meta(description="IDs of the runs of a group.")]]
    outermost: NotRequired[
        Annotated[list[str], Meta(description="IDs of the runs of a group that end lowest and highest.")]
    ]


class ComparedSeries(SeriesIdentity):
    """A curve of a run, or of a group of runs with a band."""

    x: Numbers
    values: Annotated[Numbers, Meta(description="Of a group: its average.")]
    smoothed: NotRequired[Annotated[Numbers, Meta(description="Of a run, if `smoothing` is above 0.")]]
    low: NotRequired[Annotated[NullableNumbers, Meta(description="Lower edge of the band of a group.")]]
    high: NotRequired[Annotated[NullableNumbers, Meta(description="Upper edge of the band of a group.")]]
    n: NotRequired[Annotated[Counts, Meta(description="Number of runs of a group at each point.")]]


class PackedSeries(SeriesIdentity):
    """A curve whose numbers are in the columns behind the header."""

    points: Annotated[int, Meta(ge=0, description="Number of its points in each column.")]


@response_type
class PackedColumn:
    """A column behind the header: the points of all series, one series after the other."""

    name: str
    type: Annotated[str, Meta(description="`i4`, `f4` or `f8`, little-endian.")]
    count: Count


class ComparisonSummary(PartialResponse):
    """A comparison without its curves."""

    runs: list[ComparedRun]
    without: Annotated[dict[str, Count], Meta(description="By tag: number of runs without it.")]
    superseded: Annotated[dict[str, Superseded], Meta(description="By tag, of all its curves.")]
    by_time: Annotated[
        list[str], Meta(description="Tags whose curves have no steps; on a step axis they are drawn by relative time.")
    ]
    cache: CurveCacheUse


class Comparison(ComparisonSummary):
    """The curves of the compared runs or groups."""

    series: list[ComparedSeries]


class PackedComparison(ComparisonSummary):
    """The header of a binary response; see docs/scalars.md."""

    series: list[PackedSeries]
    columns: list[PackedColumn]


@bp.post("/compare/scalars")
@Operation(
    only_reads=True,
    answer=Comparison,
    embedded=(PackedComparison,),
    parameters=(
        *SELECTION,
        TAGS,
        AXIS,
        GROUP_BY,
        GROUP_PATTERN,
        COLOUR_BY,
        DASH_BY,
        FACET_BY,
        CENTRE,
        BAND,
        MAX_POINTS,
        MOST_POINTS,
        OUTERMOST,
        RESUME,
        SMOOTHING,
        BASELINE_RUN,
        FROM,
        TO,
        FORMAT,
    ),
    errors=(RunNotFound, StillLoading),
    other_formats={_BINARY: "Columns as described in docs/scalars.md."},
)
def compared_scalars(params: Params) -> Response:
    """Curves of any number of runs, one by one or as groups with an average and a band."""
    look = Look(params[GROUP_BY], params[GROUP_PATTERN], params[COLOUR_BY], params[DASH_BY], params[FACET_BY])
    view = params[FROM], params[TO]
    points = params[MAX_POINTS], params[MOST_POINTS]
    drawing = Drawing(
        params[AXIS] or STEP,
        params[CENTRE],
        params[BAND],
        *points,
        params[SMOOTHING],
        view,
        params[RESUME],
        params[BASELINE_RUN],
        params[OUTERMOST],
    )
    runs = selected_runs(params, look)
    cache = current_cache()
    tags: list[str] = params[TAGS]
    by_id = {each.run: each for each in runs.answer}
    compared = read_intact(
        current_reader(),
        list(by_id),
        lambda intact: compare(cache, [by_id[run] for run in intact], tags, look, drawing),
    )
    rebuilding = list(dict.fromkeys([*runs.rebuilding, *compared.rebuilding]))
    answer = _respond(compared.answer, rebuilding, cache.state(), is_binary=params[FORMAT] == "binary")
    _warm_up(cache, [tag for tag in tags if not is_expression(tag)])
    return answer


def _respond(
    curves: comparison.Comparison, rebuilding: Sequence[str], state: CacheState, *, is_binary: bool
) -> Response:
    summary: ComparisonSummary = {
        "runs": [ComparedRun(**vars(each)) for each in curves.runs],
        "without": curves.without,
        "superseded": curves.superseded,
        "by_time": curves.by_time,
        "cache": _cache_use(state),
    }
    if not is_binary:
        body: Comparison = {**summary, "series": [_series(each) for each in curves.series]}
        return partial_response(body, rebuilding)
    if rebuilding:
        summary["rebuilding"] = list(rebuilding)
    columns = [_columns(each) for each in curves.series]
    series: list[PackedSeries] = [
        {**_identity(each), "points": len(own["x"])} for each, own in zip(curves.series, columns, strict=True)
    ]
    together = {name: [own[name] for own in columns] for name in (columns[0] if columns else ())}
    answer = Response(pack_columns({**summary, "series": series}, together), content_type=_BINARY)
    return marked_partial(answer, rebuilding)


def _identity(each: RunSeries | GroupSeries) -> SeriesIdentity:
    if isinstance(each, RunSeries):
        return {"tag": each.tag, "run": each.run, "source": each.source, "total_points": each.total_points}
    return {
        "tag": each.tag,
        "group": each.group,
        "source": each.source,
        "colour": each.colour,
        "dash": each.dash,
        "facet": each.facet,
        "runs": each.runs,
        "outermost": each.outermost,
    }


def _series(each: RunSeries | GroupSeries) -> ComparedSeries:
    if isinstance(each, RunSeries):
        series: ComparedSeries = {
            "tag": each.tag,
            "run": each.run,
            "source": each.source,
            "total_points": each.total_points,
            "x": column(each.x),
            "values": column(each.values),
        }
        if each.smoothed is not None:
            series["smoothed"] = column(each.smoothed)
        return series
    curve = each.curve
    return {
        "tag": each.tag,
        "group": each.group,
        "source": each.source,
        "colour": each.colour,
        "dash": each.dash,
        "facet": each.facet,
        "runs": each.runs,
        "outermost": each.outermost,
        "x": column(curve.x),
        "values": column(curve.centre),
        "low": _nullable(curve.low),
        "high": _nullable(curve.high),
        "n": column(curve.n),
    }


def _columns(each: RunSeries | GroupSeries) -> Mapping[str, ColumnArray]:
    """The numbers of a series; all series of a response have the same columns."""
    if isinstance(each, RunSeries):
        smoothed = {} if each.smoothed is None else {"smoothed": each.smoothed}
        return {"x": each.x, "values": each.values} | smoothed
    curve = each.curve
    return {"x": curve.x, "values": curve.centre, "low": curve.low, "high": curve.high, "n": curve.n}


def _nullable(values: NDArray[np.float64]) -> NullableNumbers:
    """The edge of a band, with null where there is none."""
    if not np.isnan(values).any():
        return np.ascontiguousarray(values)
    return [None if value != value else value for value in values.tolist()]


@response_type
class CachedRun:
    """A run in the cache."""

    run: RunId
    name: str
    tags: Count
    bytes: Count


@response_type
class CurveCacheContent(CurveCacheUse):
    """The cache of the web process that answered, run by run."""

    cached_runs: list[CachedRun]


@bp.get("/compare/cache")
@Operation(answer=CurveCacheContent, errors=(StillLoading,))
def compare_cache(params: Params) -> Response:
    """Content of the comparison cache; each web process has its own."""
    state = current_cache().state()
    table = current_tables().get()
    names = {run: table.table.column("run").values[place] for run, place in table.places.items()}
    cached_runs = [
        CachedRun(run=run, name=str(names[run]), tags=tags, bytes=size)
        for run, tags, size in state.runs
        if run in names  # a run that is gone is evicted when space is needed
    ]
    return json_response(CurveCacheContent(**vars(_cache_use(state)), cached_runs=cached_runs))


def _cache_use(state: CacheState) -> CurveCacheUse:
    return CurveCacheUse(
        runs=len(state.runs),
        bytes=state.bytes,
        limit=state.limit,
        warm_runs=state.warm_runs,
        hits=state.hits,
        misses=state.misses,
    )


def _warm_up(cache: CurveCache, tags: Sequence[str]) -> None:
    """Read the same tags of the newest runs while the answer is on its way: they are likely to be asked for next."""
    threading.Thread(target=cache.warm_up, args=(list(tags),), daemon=True).start()
