"""At which steps something was logged, without the values: what a slider over steps needs."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import ERRORS, FROM_STEP, RESUME, RUN, TAG, TO_STEP
from mindinsight_like.logs.kinds import Kind
from mindinsight_like.store.names import SHOWN_KINDS
from mindinsight_like.web.answers import json_answer, unless_known
from mindinsight_like.web.numbers import column
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, choice
from mindinsight_like.web.schemas import NUMBER, STRING, WHOLE, listed, record
from mindinsight_like.web.source import current_reader

bp = Blueprint("steps", __name__)

_KINDS = {name: kind for kind, name in SHOWN_KINDS.items() if kind != Kind.SCALAR}
_KIND = choice("kind", "What was logged, as in the counts of runs.", tuple(_KINDS), default="images")


@bp.route("/steps", methods=["GET", "POST"])
@Operation(
    answer=record(
        series=listed(record(run=STRING, tag=STRING, source=STRING, steps=listed(WHOLE), wall_times=listed(NUMBER)))
    ),
    parameters=(_KIND, RUN, TAG, FROM_STEP, TO_STEP, RESUME),
    errors=ERRORS,
)
def steps(given: Given) -> Response:
    """The steps and wall times of the asked tags in the asked runs, from the index alone."""
    runs, reader = given[RUN], current_reader()

    def build() -> Response:
        kind = _KINDS[given[_KIND]]
        within = {"from_step": given[FROM_STEP], "to_step": given[TO_STEP]}
        found = reader.blobs(runs, given[TAG], kind, resume=given[RESUME], **within)
        return json_answer(
            {
                "series": [
                    {
                        "run": each.run,
                        "tag": each.tag,
                        "source": each.source,
                        "steps": column(each.steps),
                        "wall_times": column(each.wall_times),
                    }
                    for each in found
                ]
            }
        )

    return unless_known(reader.versions(runs), build)
