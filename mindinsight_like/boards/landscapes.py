"""Loss landscapes."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import operation, series_answer
from mindinsight_like.items import LANDSCAPES, Item
from mindinsight_like.values.landscapes import Landscape
from mindinsight_like.web.numbers import column, number
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.schemas import COUNT, NUMBER, STRING, WHOLE, listed, or_null, record

bp = Blueprint("landscapes", __name__)

_COLUMN = listed(NUMBER)
_FIELDS = {
    "x": or_null(_COLUMN),
    "y": or_null(_COLUMN),
    "z": or_null(listed(_COLUMN)) | {"description": "The loss: a row for each y, in it a number for each x."},
    "path": or_null(record(intervals=listed(WHOLE), x=_COLUMN, y=_COLUMN, z=_COLUMN))
    | {"description": "Where training was after each interval; null when that was not recorded."},
    "convergence": or_null(record(x=NUMBER, y=NUMBER, z=NUMBER)) | {"description": "The last point."},
    "decomposition": or_null(STRING) | {"description": "How the directions were found, as PCA or Random."},
    "unit": or_null(STRING) | {"description": "Of the intervals: step or epoch."},
    "step_per_epoch": or_null(COUNT),
}


@bp.route("/landscapes", methods=["GET", "POST"])
@operation(**_FIELDS)
def landscapes(given: Given) -> Response:
    """The loss landscapes under the asked tags in the asked runs."""
    return series_answer(given, LANDSCAPES, _landscape)


def _landscape(item: Item[Landscape]) -> dict[str, object]:
    found = item.value
    if found is None:
        return dict.fromkeys(_FIELDS)
    path, end = found.path, found.convergence
    return {
        "x": column(found.x),
        "y": column(found.y),
        "z": column(found.z),
        "path": path and {"intervals": path.intervals, "x": column(path.x), "y": column(path.y), "z": column(path.z)},
        "convergence": end and dict(zip("xyz", map(number, end), strict=True)),
        "decomposition": found.decomposition,
        "unit": found.unit,
        "step_per_epoch": max(0, found.step_per_epoch),
    }
