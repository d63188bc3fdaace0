"""Histograms as edges and counts."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import operation, series_answer
from mindinsight_like.items import HISTOGRAMS, Item
from mindinsight_like.values.histograms import Histogram
from mindinsight_like.web.numbers import column, number
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.schemas import COUNT, NUMBER, listed, or_null

bp = Blueprint("histograms", __name__)


@bp.route("/histograms", methods=["GET", "POST"])
@operation(
    count=or_null(NUMBER) | {"description": "Of all values, those that are not finite included."},
    min=or_null(NUMBER) | {"description": "Of the finite values; null when there are none."},
    max=or_null(NUMBER),
    sum=or_null(NUMBER) | {"description": "Null also where the log does not tell."},
    edges=or_null(listed(NUMBER)) | {"description": "Edges of the buckets, one more than counts, or none of either."},
    counts=or_null(listed(NUMBER)),
    nan=or_null(COUNT),
    pos_inf=or_null(COUNT),
    neg_inf=or_null(COUNT),
)
def histograms(given: Given) -> Response:
    """The histograms of the asked tags in the asked runs, with the very buckets that were written."""
    return series_answer(given, HISTOGRAMS, _histogram)


_NOTHING = dict.fromkeys(("count", "min", "max", "sum", "edges", "counts", "nan", "pos_inf", "neg_inf"))


def _histogram(item: Item[Histogram]) -> dict[str, object]:
    found = item.value
    if found is None:
        return dict(_NOTHING)
    return {
        "count": number(found.count),
        "min": number(found.min),
        "max": number(found.max),
        "sum": number(found.sum),
        "edges": column(found.edges),
        "counts": column(found.counts),
        "nan": found.nan,
        "pos_inf": found.pos_inf,
        "neg_inf": found.neg_inf,
    }
