"""Chart layouts that runs define (`add_custom_scalars`)."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.boards.item_series import (
    ERRORS,
    RESUME,
    RUN,
    ItemSeries,
    LoggedItem,
    logged_item,
    series_response,
)
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params
from mindinsight_like.http.response_types import PartialResponse, response_type
from mindinsight_like.items.series import CHART_LAYOUTS, Item
from mindinsight_like.values.chart_layouts import Category, ChartLayout

bp = Blueprint("chart_layouts", __name__)


@response_type
class ChartMargin:
    """A curve with a band around it, by tags."""

    value: str
    lower: str
    upper: str


@response_type
class LayoutChart:
    """A chart of a layout."""

    title: str
    tags: Annotated[
        list[str], Meta(description="Regular expressions; the curves of all tags that match are drawn together.")
    ]
    margins: list[ChartMargin]


@response_type
class LayoutCategory:
    """A section of a layout."""

    title: str
    collapsed: Annotated[bool, Meta(description="Collapsed at first.")]
    charts: list[LayoutChart]


class ChartLayoutItem(LoggedItem):
    """A layout of charts, as `add_custom_scalars` logs it."""

    categories: list[LayoutCategory] | None


class ChartLayoutSeries(ItemSeries):
    items: list[ChartLayoutItem]


class ChartLayoutSeriesList(PartialResponse):
    series: list[ChartLayoutSeries]


@bp.route("/custom-scalars", methods=["GET", "POST"])
@Operation(answer=ChartLayoutSeriesList, parameters=(RUN, RESUME), errors=ERRORS)
def custom_scalars(params: Params) -> Response:
    """Chart layouts (`add_custom_scalars`) of the given runs, all that were logged."""
    return series_response(params, CHART_LAYOUTS, _layout)


def _layout(item: Item[ChartLayout]) -> ChartLayoutItem:
    categories = None if item.value is None else [_category(category) for category in item.value.categories]
    return {**logged_item(item), "categories": categories}


def _category(category: Category) -> LayoutCategory:
    return LayoutCategory(
        title=category.title,
        collapsed=category.is_closed,
        charts=[
            LayoutChart(
                title=chart.title,
                tags=chart.tags,
                margins=[ChartMargin(value=each.value, lower=each.lower, upper=each.upper) for each in chart.margins],
            )
            for chart in category.charts
        ],
    )
