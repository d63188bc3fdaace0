"""Histograms as edges and counts."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.boards.item_series import ItemSeries, LoggedItem, item_operation, logged_item, series_response
from mindinsight_like.http.parameters import Params
from mindinsight_like.http.response_types import Count, Numbers, PartialResponse
from mindinsight_like.items.series import HISTOGRAMS, Item
from mindinsight_like.tables.json_numbers import JsonNumber, column, number
from mindinsight_like.values.histograms import Histogram

bp = Blueprint("histograms", __name__)


class HistogramItem(LoggedItem):
    """A histogram at one step, with the buckets that were logged."""

    count: Annotated[JsonNumber | None, Meta(description="Number of all values, non-finite ones included.")]
    min: Annotated[JsonNumber | None, Meta(description="Smallest finite value; null if there is none.")]
    max: Annotated[JsonNumber | None, Meta(description="Largest finite value; null if there is none.")]
    sum: Annotated[JsonNumber | None, Meta(description="Null also if it was not logged.")]
    edges: Annotated[
        Numbers | None, Meta(description="Edges of the buckets, one more than `counts`; both may be empty.")
    ]
    counts: Numbers | None
    nan: Count | None
    pos_inf: Count | None
    neg_inf: Count | None


class HistogramSeries(ItemSeries):
    items: list[HistogramItem]


class HistogramSeriesList(PartialResponse):
    series: list[HistogramSeries]


@bp.route("/histograms", methods=["GET", "POST"])
@item_operation(HistogramSeriesList)
def histograms(params: Params) -> Response:
    """Histograms of the given runs and tags, with the buckets that were logged."""
    return series_response(params, HISTOGRAMS, _histogram)


def _histogram(item: Item[Histogram]) -> HistogramItem:
    histogram = item.value
    if histogram is None:
        return {
            **logged_item(item),
            "count": None,
            "min": None,
            "max": None,
            "sum": None,
            "edges": None,
            "counts": None,
            "nan": None,
            "pos_inf": None,
            "neg_inf": None,
        }
    return {
        **logged_item(item),
        "count": number(histogram.count),
        "min": number(histogram.min),
        "max": number(histogram.max),
        "sum": number(histogram.sum),
        "edges": column(histogram.edges),
        "counts": column(histogram.counts),
        "nan": histogram.nan,
        "pos_inf": histogram.pos_inf,
        "neg_inf": histogram.neg_inf,
    }
