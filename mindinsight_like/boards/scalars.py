"""Scalar series: as JSON for pages, as CSV and Arrow for notebooks and tables."""

from __future__ import annotations

from functools import partial

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.scalar_tables import ARROW, CSV, arrow_pieces, csv_pieces
from mindinsight_like.errors import RunNotFound, StillLoading
from mindinsight_like.store.answers import Curve
from mindinsight_like.web.answers import json_answer, unless_known
from mindinsight_like.web.numbers import column, number
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, Repeated, choice, fraction, whole, whole_or_all
from mindinsight_like.web.schemas import BOOLEAN, COUNT, NUMBER, STRING, WHOLE, listed, or_null, record, with_optional
from mindinsight_like.web.source import current_reader

bp = Blueprint("scalars", __name__)

_RUN = Repeated("run", "Id of a run.", required=True)
_TAG = Repeated("tag", "Name of a tag; a run without it has no series in the answer.", required=True)
_FROM_STEP = whole("from_step", "First step to answer with.", default=None)
_TO_STEP = whole("to_step", "Last step to answer with.", default=None)
_MAX_POINTS = whole_or_all(
    "max_points",
    "At most so many points per series. What is left out lies between points that are kept: of every bucket the "
    "first, last, smallest and largest, so no spike is lost. `all` leaves nothing out.",
    default=1000,
    lowest=1,
)
_RESUME = choice(
    "resume",
    "`latest`: where a run was resumed from an earlier step, the newer points replace the older. `all`: every point.",
    ("latest", "all"),
    default="latest",
)
_SMOOTHING = fraction(
    "smoothing",
    "Weight of the past in a moving average over the full series, which comes in addition to the values.",
    highest=0.999,
)
_FORMAT = choice("format", "csv and arrow are tables: one row per point.", ("json", "csv", "arrow"), default="json")

_CURVE = record(
    run=STRING,
    tag=STRING,
    source=STRING | {"description": "Tells apart several curves of one run and tag; usually empty."},
    total_points=COUNT | {"description": "How many points there are between from_step and to_step."},
    thinned=BOOLEAN | {"description": "Whether max_points left points out."},
    start_time=NUMBER | {"description": "Wall time of the curve's first point, the zero of relative time."},
    segments=listed(COUNT) | {"description": "Where in the columns each segment of a resumed run begins."},
    steps=listed(WHOLE),
    wall_times=listed(NUMBER),
    values=listed(NUMBER),
)
_SERIES = with_optional(_CURVE, smoothed=listed(NUMBER))
_TAG_OVER_RUNS = record(
    tag=STRING,
    runs=listed(STRING),
    count=COUNT,
    first_step=WHOLE,
    last_step=WHOLE,
    min=or_null(NUMBER),
    max=or_null(NUMBER),
    non_finite=COUNT,
)


@bp.route("/scalars", methods=["GET", "POST"])
@Operation(
    answer=record(series=listed(_SERIES)),
    parameters=(_RUN, _TAG, _FROM_STEP, _TO_STEP, _MAX_POINTS, _RESUME, _SMOOTHING, _FORMAT),
    errors=(RunNotFound, StillLoading),
    other_formats={
        CSV: "A header line, then one line per point: run,tag,source,step,wall_time,value,run_id.",
        ARROW: "An Arrow IPC stream with the columns of the CSV.",
    },
)
def scalars(given: Given) -> Response:
    """The series of the asked tags in the asked runs.

    POST takes the same parameters in a JSON body, for requests too long for a URL.
    """
    runs, tags = given[_RUN], given[_TAG]
    reader = current_reader()
    read = partial(
        reader.scalars,
        tags=tags,
        from_step=given[_FROM_STEP],
        to_step=given[_TO_STEP],
        max_points=given[_MAX_POINTS],
        resume=given[_RESUME],
        smoothing=given[_SMOOTHING],
    )
    wanted = given[_FORMAT]

    def build() -> Response:
        if wanted == "json":
            return json_answer({"series": [_series(curve) for curve in read(runs)]})
        # Tables may be asked for with all points of many runs, so they are sent run by run.
        names = {run.id: run.name for run in reader.runs(ids=runs)[1]}
        for unknown in (run for run in runs if run not in names):
            reader.run(unknown)  # raises before the first byte is sent
        curves = (curve for run in runs for curve in read([run]))
        smoothed = given[_SMOOTHING] > 0
        if wanted == "csv":
            answer = Response(csv_pieces(curves, names, smoothed=smoothed), content_type=f"{CSV}; charset=utf-8")
        else:
            answer = Response(arrow_pieces(curves, names, smoothed=smoothed), content_type=ARROW)
        answer.headers["Content-Disposition"] = f'attachment; filename="scalars.{wanted}"'
        return answer

    return unless_known(reader.versions(runs), build)


@bp.route("/scalars/tags", methods=["GET", "POST"])
@Operation(answer=record(tags=listed(_TAG_OVER_RUNS)), parameters=(_RUN,), errors=(RunNotFound, StillLoading))
def scalar_tags(given: Given) -> Response:
    """The scalar tags of several runs together, each with the runs that have it.

    POST takes the same parameters in a JSON body, for requests too long for a URL.
    """
    runs = given[_RUN]
    reader = current_reader()

    def build() -> Response:
        tags = [
            {
                "tag": tag.tag,
                "runs": tag.runs,
                "count": tag.count,
                "first_step": tag.first_step,
                "last_step": tag.last_step,
                "min": number(tag.min),
                "max": number(tag.max),
                "non_finite": tag.non_finite,
            }
            for tag in reader.scalar_tags(runs)
        ]
        return json_answer({"tags": tags})

    return unless_known(reader.versions(runs), build)


def _series(curve: Curve) -> dict[str, object]:
    smoothed = {} if curve.smoothed is None else {"smoothed": column(curve.smoothed)}
    return {
        "run": curve.run,
        "tag": curve.tag,
        "source": curve.source,
        "total_points": curve.total_points,
        "thinned": curve.thinned,
        "start_time": number(curve.start_time),
        "segments": curve.segments,
        "steps": column(curve.steps),
        "wall_times": column(curve.wall_times),
        "values": column(curve.values),
    } | smoothed
