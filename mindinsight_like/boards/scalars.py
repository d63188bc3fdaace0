"""Scalar series: JSON for the page, CSV and Arrow for notebooks and spreadsheets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta
from typing_extensions import NotRequired, TypedDict

from mindinsight_like.boards.tag_pages import AFTER, LIMIT, SEARCH, MoreTags, more_tags
from mindinsight_like.errors import RunNotFound, StillLoading
from mindinsight_like.expressions.derived import Part, check, derived_series, is_expression
from mindinsight_like.expressions.tokens import possible_tags
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, Repeated, choice, fraction, text, whole, whole_or_all
from mindinsight_like.http.response_types import (
    Count,
    Integers,
    Numbers,
    PartialResponse,
    RunId,
    Superseded,
    response_type,
)
from mindinsight_like.http.responses import attachment_name, conditional_response, json_response, partial_response
from mindinsight_like.store.intact import read_intact
from mindinsight_like.store.result_types import Curve, ScalarTagOverRuns
from mindinsight_like.tables.json_numbers import JsonNumber, column, number
from mindinsight_like.tables.scalar_tables import ARROW, CSV, arrow_pieces, csv_pieces

bp = Blueprint("scalars", __name__)

_NAMED_TAGS = 3  # more do not fit in the name of a file
_RUN = Repeated("run", "ID of a run.", required=True)
_TAG = Repeated(
    "tag",
    "Name of a tag; a run without it has no series in the response. `=` and an expression, as in `=loss / 2`, stands "
    "for what it gives for each run (docs/scalars.md), computed from all points of the default view.",
    required=True,
)
_BASELINE = text("baseline", "ID of the run that `delta()` in expressions subtracts.")
_EXPRESSION = text("expression", "An expression over scalars, without `=` before it.")
_FROM_STEP = whole("from_step", "First step.", default=None)
_TO_STEP = whole("to_step", "Last step.", default=None)
_MAX_POINTS = whole_or_all(
    "max_points",
    "Maximum number of points per series. Downsampling cuts a series into buckets and keeps of each the "
    "first, last, smallest and largest point, so that no spike is lost. `all` keeps every point.",
    default=1000,
    lowest=1,
)
_RESUME = choice(
    "resume",
    "`latest`: the newest value of each step, without what a restart took back (TensorBoard's `purge_step`). "
    "`all`: every point in the order of writing.",
    ("latest", "all"),
    default="latest",
)
_SMOOTHING = fraction(
    "smoothing",
    "Weight of the past in a moving average over the full series, sent in addition to the values.",
    highest=0.999,
)
_FORMAT = choice(
    "format", "`csv` and `arrow` are tables with one row per point.", ("json", "csv", "arrow"), default="json"
)


class ScalarSeries(TypedDict):
    """The points of one tag of one run."""

    run: RunId
    tag: str
    source: Annotated[str, Meta(description="Distinguishes several curves of one run and tag; usually empty.")]
    total_points: Annotated[int, Meta(ge=0, description="Number of points between `from_step` and `to_step`.")]
    superseded: Superseded
    has_steps: Annotated[
        bool,
        Meta(description="False if all points have the same step: all are shown, in the order of their wall times."),
    ]
    downsampled: Annotated[bool, Meta(description="Whether `max_points` left points out.")]
    start_time: Annotated[
        JsonNumber, Meta(description="Wall time at which the curve begins; relative times count from here.")
    ]
    segments: Annotated[
        list[Count],
        Meta(description="With `resume=all`: positions in the columns where the step decreases. Otherwise only 0."),
    ]
    steps: Integers
    wall_times: Numbers
    values: Numbers
    smoothed: NotRequired[Annotated[Numbers, Meta(description="Only if `smoothing` is above 0.")]]


class ScalarSeriesList(PartialResponse):
    series: list[ScalarSeries]


@response_type
class SharedScalarTag:
    """A scalar tag over several runs."""

    tag: str
    runs: Annotated[list[str], Meta(description="IDs of the runs that have the tag.")]
    count: Count
    first_step: int
    last_step: int
    min: Annotated[JsonNumber | None, Meta(description="Smallest finite value; null if there is none.")]
    max: Annotated[JsonNumber | None, Meta(description="Largest finite value; null if there is none.")]
    non_finite: Annotated[int, Meta(ge=0, description="Number of values that are NaN or infinite.")]
    superseded: Superseded


class SharedScalarTagPage(PartialResponse):
    tags: list[SharedScalarTag]
    more: NotRequired[Annotated[MoreTags, Meta(description="Absent on the last page.")]]


@bp.route("/scalars", methods=["GET", "POST"])
@Operation(
    answer=ScalarSeriesList,
    parameters=(_RUN, _TAG, _FROM_STEP, _TO_STEP, _MAX_POINTS, _RESUME, _SMOOTHING, _BASELINE, _FORMAT),
    errors=(RunNotFound, StillLoading),
    other_formats={
        CSV: "A header line, then one line per point: run,tag,source,step,wall_time,value,run_id.",
        ARROW: "An Arrow IPC stream with the columns of the CSV.",
    },
)
def scalars(params: Params) -> Response:
    """Scalar series of the given runs and tags.

    POST takes the same parameters in a JSON body, for requests that are too long for a URL.
    """
    runs, tags, baseline = params[_RUN], params[_TAG], params[_BASELINE]
    reader = current_reader()
    part = Part(params[_FROM_STEP], params[_TO_STEP], params[_MAX_POINTS], params[_SMOOTHING])

    def read(runs: Sequence[str]) -> list[Curve]:
        curves = reader.scalars(runs, tags, resume=params[_RESUME], **vars(part))
        recorded = {curve.tag for curve in curves}
        derived = [tag for tag in tags if is_expression(tag) and tag not in recorded]
        if not derived:
            return curves
        return curves + derived_series(partial(reader.scalars, max_points=None), runs, derived, baseline, part)

    output_format = params[_FORMAT]

    def build() -> Response:
        if output_format == "json":
            result = read_intact(reader, runs, read)
            body: ScalarSeriesList = {"series": [_series(curve) for curve in result.answer]}
            return partial_response(body, result.rebuilding)
        # Tables may be asked for with all points of many runs, so they are sent run by run.
        names = {run.id: run.name for run in reader.runs.find(ids=runs)[1]}
        for unknown in (run for run in runs if run not in names):
            reader.runs.get(unknown)  # raises before the first byte is sent
        reader.runs.refuse_under_repair(runs)  # a table has no place to say that it is not complete
        curves = (curve for run in runs for curve in read([run]))
        smoothed = params[_SMOOTHING] > 0
        if output_format == "csv":
            answer = Response(csv_pieces(curves, names, smoothed=smoothed), content_type=f"{CSV}; charset=utf-8")
        else:
            answer = Response(arrow_pieces(curves, names, smoothed=smoothed), content_type=ARROW)
        name = attachment_name(*tags) if 0 < len(tags) <= _NAMED_TAGS else "scalars"
        answer.headers["Content-Disposition"] = f'attachment; filename="{name}.{output_format}"'
        return answer

    return conditional_response(reader.runs.versions([*runs, *([baseline] if baseline else [])]), build)


@response_type
class CheckedExpression:
    """What an expression over scalars names."""

    tags: Annotated[list[str], Meta(description="Its tags, each once.")]
    runs: Annotated[int, Meta(ge=0, description="Number of the given runs that have all of them.")]
    needs_baseline: Annotated[bool, Meta(description="Whether it subtracts a baseline.")]


@bp.route("/scalars/expression", methods=["GET", "POST"])
@Operation(answer=CheckedExpression, parameters=(_EXPRESSION, _RUN), errors=(RunNotFound, StillLoading))
def check_expression(params: Params) -> Response:
    """Check an expression before it is drawn: 400 says what is wrong with it, and where.

    `details` of the error has `problem` (a code), `position` and `end` (in characters of the expression). A tag that
    none of the runs has is a problem here. POST takes the same parameters in a JSON body, for requests too long for a
    URL.
    """
    expression: str = params[_EXPRESSION]
    runs: list[str] = params[_RUN]
    summaries = current_reader().series.scalar_summaries(runs, possible_tags(expression))
    return json_response(CheckedExpression(**vars(check(expression, summaries))))


@bp.route("/scalars/tags", methods=["GET", "POST"])
@Operation(
    answer=SharedScalarTagPage,
    parameters=(_RUN, SEARCH, AFTER, LIMIT),
    errors=(RunNotFound, StillLoading),
)
def scalar_tags(params: Params) -> Response:
    """Scalar tags of several runs together, each with the runs that have it, in the order of their names.

    `more` is there when there are further ones. POST takes the same parameters in a JSON body, for requests too long
    for a URL.
    """
    runs = params[_RUN]
    reader = current_reader()

    def build() -> Response:
        read = partial(reader.series.scalar_tag_page, search=params[SEARCH], after=params[AFTER], limit=params[LIMIT])
        result = read_intact(reader, runs, read)
        page = result.answer
        body: SharedScalarTagPage = {"tags": [_shared_tag(tag) for tag in page.tags]}
        if (more := more_tags(page)) is not None:
            body["more"] = more
        return partial_response(body, result.rebuilding)

    return conditional_response(reader.runs.versions(runs), build)


def _series(curve: Curve) -> ScalarSeries:
    series: ScalarSeries = {
        "run": curve.run,
        "tag": curve.tag,
        "source": curve.source,
        "total_points": curve.total_points,
        "superseded": curve.superseded,
        "has_steps": curve.has_steps,
        "downsampled": curve.downsampled,
        "start_time": number(curve.start_time),
        "segments": curve.segments,
        "steps": column(curve.steps),
        "wall_times": column(curve.wall_times),
        "values": column(curve.values),
    }
    if curve.smoothed is not None:
        series["smoothed"] = column(curve.smoothed)
    return series


def _shared_tag(tag: ScalarTagOverRuns) -> SharedScalarTag:
    return SharedScalarTag(
        tag=tag.tag,
        runs=tag.runs,
        count=tag.count,
        first_step=tag.first_step,
        last_step=tag.last_step,
        min=number(tag.min),
        max=number(tag.max),
        non_finite=tag.non_finite,
        superseded=tag.superseded,
    )
