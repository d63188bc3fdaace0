"""Routes of the curves of a comparison, and of the cache they come from."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import numpy as np
from flask import Blueprint, current_app
from flask.wrappers import Response

from mindinsight_like.compare.axes import STEP
from mindinsight_like.compare.cache import CacheState, CurveCache
from mindinsight_like.compare.comparison import Comparison, Drawing, GroupSeries, Look, RunSeries, compare
from mindinsight_like.compare.packing import Numbers, packed
from mindinsight_like.compare.parameters import (
    AXIS,
    BAND,
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
    SMOOTHING,
    TAGS,
    TO,
)
from mindinsight_like.compare.selection import SELECTION
from mindinsight_like.compare.table_routes import chosen_runs
from mindinsight_like.errors import RunNotFound, StillLoading
from mindinsight_like.lineage.current import current_tables
from mindinsight_like.store.reading import IndexReader
from mindinsight_like.web.answers import json_answer
from mindinsight_like.web.numbers import column
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.schemas import COUNT, NUMBER, STRING, listed, or_null, record, with_optional
from mindinsight_like.web.source import current_reader

bp = Blueprint("compare", __name__)

_BINARY = "application/octet-stream"

_CACHE = {
    "runs": COUNT,
    "bytes": COUNT,
    "limit": COUNT,
    "warm_runs": COUNT | {"description": "So many of the runs that were updated last go last when room is needed."},
    "hits": COUNT,
    "misses": COUNT,
}
_NUMBERS = listed(or_null(NUMBER))
_SERIES = with_optional(
    record(tag=STRING, x=listed(NUMBER), values=_NUMBERS),
    run=STRING,
    source=STRING,
    smoothed=_NUMBERS,
    total_points=COUNT,
    group=STRING,
    colour=STRING,
    dash=STRING,
    facet=STRING,
    runs=listed(STRING),
    low=_NUMBERS,
    high=_NUMBERS,
    n=listed(COUNT) | {"description": "How many runs there are at each point."},
)
_RUN = record(run=STRING, name=STRING, group=STRING, colour=STRING, dash=STRING, facet=STRING)


@bp.post("/compare/scalars")
@Operation(
    answer=record(
        runs=listed(_RUN),
        series=listed(_SERIES),
        without={"type": "object", "additionalProperties": COUNT, "description": "By tag: runs that do not have it."},
        cache=record(**_CACHE) | {"description": "Of the web process that answered, after it has."},
    ),
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
        SMOOTHING,
        FROM,
        TO,
        FORMAT,
    ),
    errors=(RunNotFound, StillLoading),
    other_formats={_BINARY: "Columns as described in docs/compare.md."},
)
def compared_scalars(given: Given) -> Response:
    """The curves of any number of runs, one by one or as groups with a middle and a band."""
    look = Look(given[GROUP_BY], given[GROUP_PATTERN], given[COLOUR_BY], given[DASH_BY], given[FACET_BY])
    view = given[FROM], given[TO]
    points = given[MAX_POINTS], given[MOST_POINTS]
    drawing = Drawing(given[AXIS] or STEP, given[CENTRE], given[BAND], *points, given[SMOOTHING], view)
    runs = chosen_runs(given, look)
    cache = current_cache()
    tags: list[str] = given[TAGS]
    found = compare(cache, runs, tags, look, drawing)
    answer = _answer(found, cache.state(), is_binary=given[FORMAT] == "binary")
    _warm_up(cache, tags)
    return answer


def _answer(found: Comparison, state: CacheState, *, is_binary: bool) -> Response:
    described = {
        "runs": [each.__dict__ for each in found.runs],
        "without": found.without,
        "cache": _described(state),
    }
    columns = [_columns(each) for each in found.series]
    if not is_binary:
        shown = zip(found.series, columns, strict=True)
        series = [_about(each) | {name: _as_json(name, own[name]) for name in own} for each, own in shown]
        return json_answer(described | {"series": series})
    sized = [_about(each) | {"points": len(own["x"])} for each, own in zip(found.series, columns, strict=True)]
    together = {name: [own[name] for own in columns] for name in (columns[0] if columns else ())}
    return Response(packed(described | {"series": sized}, together), content_type=_BINARY)


def _about(each: RunSeries | GroupSeries) -> dict[str, object]:
    """A series without its numbers."""
    if isinstance(each, RunSeries):
        return {"tag": each.tag, "run": each.run, "source": each.source, "total_points": each.total_points}
    return {name: getattr(each, name) for name in ("tag", "group", "source", "colour", "dash", "facet", "runs")}


def _columns(each: RunSeries | GroupSeries) -> Mapping[str, Numbers]:
    """The numbers of a series; all series of an answer have the same columns."""
    if isinstance(each, RunSeries):
        smoothed = {} if each.smoothed is None else {"smoothed": each.smoothed}
        return {"x": each.x, "values": each.values} | smoothed
    curve = each.curve
    return {"x": curve.x, "values": curve.centre, "low": curve.low, "high": curve.high, "n": curve.n}


def _as_json(name: str, values: Numbers) -> object:
    """A column for `orjson`; the borders of a band have null where there are none."""
    if name not in ("low", "high"):
        return column(values)
    if not np.isnan(values).any():
        return np.ascontiguousarray(values)
    return [None if value != value else value for value in values.tolist()]


@bp.get("/compare/cache")
@Operation(
    answer=record(**_CACHE, held=listed(record(run=STRING, name=STRING, tags=COUNT, bytes=COUNT))),
    errors=(StillLoading,),
)
def compare_cache(given: Given) -> Response:
    """What this web process holds ready for comparisons; each has a cache of its own."""
    state = current_cache().state()
    table = current_tables().get()
    names = {run: table.table.column("run").values[place] for run, place in table.places.items()}
    held = [
        {"run": run, "name": names[run], "tags": tags, "bytes": size}
        for run, tags, size in state.runs
        if run in names  # a run that is gone is let go of when room is needed
    ]
    return json_answer(_described(state) | {"held": held})


def _described(state: CacheState) -> dict[str, int]:
    return {
        "runs": len(state.runs),
        "bytes": state.bytes,
        "limit": state.limit,
        "warm_runs": state.warm_runs,
        "hits": state.hits,
        "misses": state.misses,
    }


_lock = threading.Lock()


def current_cache() -> CurveCache:
    """The cache of this process."""
    reader = current_reader()
    with _lock:
        held: tuple[IndexReader, CurveCache] | None = current_app.extensions.get("curve_cache")
        if held is None or held[0] is not reader:
            settings = current_app.extensions["settings"]
            cache = CurveCache(reader, settings.compare_cache_mb * 2**20, settings.compare_cache_runs)
            held = current_app.extensions["curve_cache"] = reader, cache
        return held[1]


def _warm_up(cache: CurveCache, tags: Sequence[str]) -> None:
    """Read the same tags of the newest runs while the answer is on its way: they are likely to be asked for next."""
    threading.Thread(target=cache.warm_up, args=(list(tags),), daemon=True).start()
