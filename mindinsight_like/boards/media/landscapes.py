"""Loss landscapes."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.boards.item_series import (
    ItemSeries,
    LoggedItem,
    item_operation,
    logged_item,
    series_response,
)
from mindinsight_like.http.parameters import Params
from mindinsight_like.http.response_types import (
    Count,
    Integers,
    NumberRows,
    Numbers,
    PartialResponse,
    response_type,
)
from mindinsight_like.items.series import LANDSCAPES, Item
from mindinsight_like.tables.json_numbers import JsonNumber, column, number
from mindinsight_like.values.landscapes import Landscape, Path

bp = Blueprint("landscapes", __name__)


@response_type
class LandscapePath:
    """The way of the training over the landscape, a point for each interval."""

    intervals: Integers
    x: Numbers
    y: Numbers
    z: Numbers


@response_type
class LandscapePoint:
    x: JsonNumber
    y: JsonNumber
    z: JsonNumber


class LandscapeItem(LoggedItem):
    """A loss landscape."""

    x: Numbers | None
    y: Numbers | None
    z: Annotated[NumberRows | None, Meta(description="The loss: a row for each y, in it a number for each x.")]
    path: Annotated[LandscapePath | None, Meta(description="Null if it was not recorded.")]
    convergence: Annotated[LandscapePoint | None, Meta(description="The last point.")]
    decomposition: Annotated[str | None, Meta(description="How the directions were found, such as PCA or Random.")]
    unit: Annotated[str | None, Meta(description="Unit of the intervals: step or epoch.")]
    step_per_epoch: Count | None


class LandscapeSeries(ItemSeries):
    items: list[LandscapeItem]


class LandscapeSeriesList(PartialResponse):
    series: list[LandscapeSeries]


@bp.route("/landscapes", methods=["GET", "POST"])
@item_operation(LandscapeSeriesList)
def landscapes(params: Params) -> Response:
    """Loss landscapes of the given runs and tags."""
    return series_response(params, LANDSCAPES, _landscape)


def _landscape(item: Item[Landscape]) -> LandscapeItem:
    landscape = item.value
    if landscape is None:
        return {
            **logged_item(item),
            "x": None,
            "y": None,
            "z": None,
            "path": None,
            "convergence": None,
            "decomposition": None,
            "unit": None,
            "step_per_epoch": None,
        }
    return {
        **logged_item(item),
        "x": column(landscape.x),
        "y": column(landscape.y),
        "z": column(landscape.z),
        "path": _path(landscape.path),
        "convergence": _point(landscape.convergence),
        "decomposition": landscape.decomposition,
        "unit": landscape.unit,
        "step_per_epoch": max(0, landscape.step_per_epoch),
    }


def _path(path: Path | None) -> LandscapePath | None:
    if path is None:
        return None
    return LandscapePath(intervals=path.intervals, x=column(path.x), y=column(path.y), z=column(path.z))


def _point(point: tuple[float, float, float] | None) -> LandscapePoint | None:
    if point is None:
        return None
    x, y, z = map(number, point)
    return LandscapePoint(x=x, y=y, z=z)
