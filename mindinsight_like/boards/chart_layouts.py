"""Layouts of charts that runs bring along."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import ERRORS, RESUME, RUN, series_answer, series_of
from mindinsight_like.items import CHART_LAYOUTS, Item
from mindinsight_like.values.chart_layouts import ChartLayout
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.schemas import BOOLEAN, STRING, listed, or_null, record

bp = Blueprint("chart_layouts", __name__)

_CHART = record(
    title=STRING,
    tags=listed(STRING) | {"description": "Regular expressions; curves of tags they fit are drawn together."},
    margins=listed(record(value=STRING, lower=STRING, upper=STRING))
    | {"description": "Tags of curves, each with those that bound the band around it."},
)
_CATEGORY = record(title=STRING, closed=BOOLEAN, charts=listed(_CHART))


@bp.route("/custom-scalars", methods=["GET", "POST"])
@Operation(answer=series_of(categories=or_null(listed(_CATEGORY))), parameters=(RUN, RESUME), errors=ERRORS)
def custom_scalars(given: Given) -> Response:
    """The layouts of charts (`add_custom_scalars`) that the asked runs bring along, all that they wrote."""
    return series_answer(given, CHART_LAYOUTS, _layout)


def _layout(item: Item[ChartLayout]) -> dict[str, object]:
    if item.value is None:
        return {"categories": None}
    return {
        "categories": [
            {
                "title": category.title,
                "closed": category.is_closed,
                "charts": [
                    {
                        "title": chart.title,
                        "tags": chart.tags,
                        "margins": [{"value": m.value, "lower": m.lower, "upper": m.upper} for m in chart.margins],
                    }
                    for chart in category.charts
                ],
            }
            for category in item.value.categories
        ]
    }
