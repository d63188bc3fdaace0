"""Routes of the comparison: curves of many runs or groups of them, differences from a baseline, the cache."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence

import numpy as np
from flask import Blueprint, current_app
from flask.wrappers import Response

from mindinsight_like.compare.aggregation import BANDS, CENTRES
from mindinsight_like.compare.cache import CurveCache
from mindinsight_like.compare.comparison import Comparison, Drawing, GroupSeries, Look, RunSeries, chosen, compare
from mindinsight_like.compare.differences import REDUCTIONS, differences
from mindinsight_like.errors import BadParameter, RunNotFound, StillLoading
from mindinsight_like.lineage.current import current_tables
from mindinsight_like.lineage.queries import matching
from mindinsight_like.lineage.run_table import RunTable
from mindinsight_like.lineage.table_routes import QUERY, WHERE
from mindinsight_like.store.reading import IndexReader
from mindinsight_like.web.answers import json_answer
from mindinsight_like.web.numbers import column, number
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, Repeated, choice, text, whole
from mindinsight_like.web.schemas import COUNT, NUMBER, STRING, Schema, listed, or_null, record, with_optional
from mindinsight_like.web.source import current_reader

bp = Blueprint("compare", __name__)

_RUNS = Repeated("runs", "Ids of the runs; without them, those that `query`, `where` and `pattern` keep.")
_PATTERN = text("pattern", "A regular expression that the names of runs match somewhere.")
_TAGS = Repeated("tags", "Tags of scalars.", required=True)
_SELECTION = (_RUNS, QUERY, WHERE, _PATTERN)

_AXIS = text("x", "The horizontal axis: `step` (the default), `relative`, `absolute`, or the tag of another scalar.")
_GROUP_BY = text("group_by", "A lineage column: runs with the same value become one curve with a band.")
_GROUP_PATTERN = text("group_pattern", "A regular expression: runs whose names match with the same first group do.")
_COLOUR_BY = text("colour_by", "A lineage column that decides colours.")
_DASH_BY = text("dash_by", "A lineage column that decides dashes.")
_FACET_BY = text("facet_by", "A lineage column for which there is one chart per value.")
_CENTRE = choice("centre", "The middle of a group.", CENTRES, default="mean")
_BAND = choice(
    "band",
    "What lies around it: standard deviation, standard error, the 95 % interval of the mean, or all values.",
    BANDS,
    default="sd",
)
_MAX_POINTS = whole(
    "max_points", "About how many points of each curve, extremes always among them.", default=500, lowest=4
)

_NUMBERS = listed(or_null(NUMBER))
_SERIES = with_optional(
    record(tag=STRING, x=listed(NUMBER), values=_NUMBERS),
    run=STRING,
    source=STRING,
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
    ),
    parameters=(
        *_SELECTION,
        _TAGS,
        _AXIS,
        _GROUP_BY,
        _GROUP_PATTERN,
        _COLOUR_BY,
        _DASH_BY,
        _FACET_BY,
        _CENTRE,
        _BAND,
        _MAX_POINTS,
    ),
    errors=(RunNotFound, StillLoading),
)
def compared_scalars(given: Given) -> Response:
    """The curves of any number of runs, one by one or as groups with a middle and a band."""
    look = Look(given[_GROUP_BY], given[_GROUP_PATTERN], given[_COLOUR_BY], given[_DASH_BY], given[_FACET_BY])
    drawing = Drawing(given[_AXIS] or "step", given[_CENTRE], given[_BAND], given[_MAX_POINTS])
    table, cache = current_tables().get(), current_cache()
    runs = chosen(table, _rows(given, table), look)
    tags: list[str] = given[_TAGS]
    found = compare(cache, runs, tags, look, drawing)
    _warm_up(cache, tags)
    return json_answer(_comparison(found))


def _comparison(found: Comparison) -> dict[str, object]:
    return {
        "runs": [each.__dict__ for each in found.runs],
        "series": [_series(each) for each in found.series],
        "without": found.without,
    }


def _series(each: RunSeries | GroupSeries) -> dict[str, object]:
    if isinstance(each, RunSeries):
        return {
            "tag": each.tag,
            "run": each.run,
            "source": each.source,
            "x": column(each.x),
            "values": column(each.values),
            "total_points": each.total_points,
        }
    curve = each.curve
    return {
        "tag": each.tag,
        "group": each.group,
        "colour": each.colour,
        "dash": each.dash,
        "facet": each.facet,
        "runs": each.runs,
        "x": column(curve.x),
        "values": column(curve.centre),
        "low": _with_gaps(curve.low),
        "high": _with_gaps(curve.high),
        "n": np.ascontiguousarray(curve.n),
    }


def _with_gaps(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> object:
    """Numbers with null where there are none."""
    if not np.isnan(values).any():
        return np.ascontiguousarray(values)
    return [None if value != value else value for value in values.tolist()]


def _rows(given: Given, table: RunTable) -> list[int]:
    """The rows of the runs that were asked for; raises RunNotFound, BadParameter."""
    if given.has(_RUNS):
        for run in given[_RUNS]:
            if run not in table.places:
                raise RunNotFound(f"there is no run with the id {run!r}", run=run)
        return [table.places[run] for run in given[_RUNS]]
    rows: list[int] = matching(table.table, query=given[QUERY], where=given[WHERE], sort="-updated_at").tolist()
    if not given[_PATTERN]:
        return rows
    try:
        pattern = re.compile(given[_PATTERN])
    except re.error as error:
        raise BadParameter(f"pattern: {error}.", parameter="pattern") from error
    names = table.table.column("run").values
    return [row for row in rows if pattern.search(str(names[row]))]


_OF = choice("of", "Which value of a curve counts.", REDUCTIONS, default="last")
_BASELINE = text("baseline", "Id of the run that the others are measured against.")
_BY_TAG: Schema = {"type": "object", "additionalProperties": or_null(NUMBER)}


@bp.post("/compare/table")
@Operation(
    answer=record(
        rows=listed(
            record(
                run=STRING,
                name=STRING,
                values=_BY_TAG,
                differences=_BY_TAG
                | {"description": "In percent of the baseline; null where that is zero or missing."},
            )
        )
    ),
    parameters=(*_SELECTION, _TAGS, _OF, _BASELINE),
    errors=(RunNotFound, StillLoading),
)
def compared_values(given: Given) -> Response:
    """One value per run and tag, and how far it is from that of a baseline."""
    found = current_tables().get()
    rows = _rows(given, found)
    baseline = given[_BASELINE]
    if baseline and baseline not in found.places:
        raise RunNotFound(f"there is no run with the id {baseline!r}", run=baseline)
    names = found.table.column("run").values
    tags: list[str] = given[_TAGS]
    measured = differences(current_reader(), [found.ids[row] for row in rows], tags, given[_OF], baseline)
    return json_answer(
        {
            "rows": [
                {
                    "run": found.ids[row],
                    "name": names[row],
                    "values": {tag: number(value) for tag, value in measured[found.ids[row]].values.items()},
                    "differences": {tag: number(value) for tag, value in measured[found.ids[row]].differences.items()},
                }
                for row in rows
            ]
        }
    )


@bp.get("/compare/cache")
@Operation(
    answer=record(
        bytes=COUNT,
        limit=COUNT,
        warm_runs=COUNT | {"description": "So many of the runs that were updated last go last when room is needed."},
        hits=COUNT,
        misses=COUNT,
        runs=listed(record(run=STRING, tags=COUNT, bytes=COUNT)),
    ),
    errors=(StillLoading,),
)
def compare_cache(given: Given) -> Response:
    """What this web process holds ready for comparisons; each has a cache of its own."""
    state = current_cache().state()
    runs = [{"run": run, "tags": tags, "bytes": size} for run, tags, size in state.runs]
    return json_answer(
        {
            "bytes": state.bytes,
            "limit": state.limit,
            "warm_runs": state.warm_runs,
            "hits": state.hits,
            "misses": state.misses,
            "runs": runs,
        }
    )


_lock = threading.Lock()


def current_cache() -> CurveCache:
    """The cache of this process."""
    reader = current_reader()
    with _lock:
        held: tuple[IndexReader, CurveCache] | None = current_app.extensions.get("curve_cache")
        if held is None or held[0] is not reader:
            limit = current_app.extensions["settings"].compare_cache_mb * 2**20
            held = current_app.extensions["curve_cache"] = reader, CurveCache(reader, limit)
        return held[1]


def _warm_up(cache: CurveCache, tags: Sequence[str]) -> None:
    """Read the same tags of the newest runs while the answer is on its way: they are likely to be asked for next."""
    threading.Thread(target=cache.warm_up, args=(list(tags),), daemon=True).start()
