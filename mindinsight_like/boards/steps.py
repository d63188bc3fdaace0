"""Steps at which something was logged, without the values; used by step sliders."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.boards.item_series import ERRORS, FROM_STEP, RESUME, RUN, TAG, TO_STEP
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, choice
from mindinsight_like.http.response_types import (
    Integers,
    Numbers,
    PartialResponse,
    RunId,
    Superseded,
    response_type,
)
from mindinsight_like.http.responses import conditional_response, partial_response
from mindinsight_like.logs.kinds import Kind
from mindinsight_like.store.intact import read_intact
from mindinsight_like.store.names import SHOWN_KINDS
from mindinsight_like.tables.json_numbers import column

bp = Blueprint("steps", __name__)

_KINDS = {name: kind for kind, name in SHOWN_KINDS.items() if kind != Kind.SCALAR}
_KIND = choice("kind", "Kind of data, as in `counts` of a run.", tuple(_KINDS), default="images")


@response_type
class StepSeries:
    """The steps at which one tag of one run was logged."""

    run: RunId
    tag: str
    source: Annotated[str, Meta(description="Distinguishes several series of one run and tag; usually empty.")]
    superseded: Superseded
    steps: Integers
    wall_times: Numbers


class StepSeriesList(PartialResponse):
    series: list[StepSeries]


@bp.route("/steps", methods=["GET", "POST"])
@Operation(
    answer=StepSeriesList,
    parameters=(_KIND, RUN, TAG, FROM_STEP, TO_STEP, RESUME),
    errors=ERRORS,
)
def steps(params: Params) -> Response:
    """Steps and wall times of the given runs and tags, without the values."""
    runs, reader = params[RUN], current_reader()

    def build() -> Response:
        kind = _KINDS[params[_KIND]]
        within = {"from_step": params[FROM_STEP], "to_step": params[TO_STEP]}
        result = read_intact(
            reader, runs, lambda intact: reader.blobs(intact, params[TAG], kind, resume=params[RESUME], **within)
        )
        series = [
            StepSeries(
                run=each.run,
                tag=each.tag,
                source=each.source,
                superseded=each.superseded,
                steps=column(each.steps),
                wall_times=column(each.wall_times),
            )
            for each in result.answer
        ]
        body: StepSeriesList = {"series": series}
        return partial_response(body, result.rebuilding)

    return conditional_response(reader.runs.versions(runs), build)
