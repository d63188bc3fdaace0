"""Tensors: shape, type and statistics; the numbers themselves are blobs (.npy)."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.boards.item_series import (
    ERRORS,
    PARAMETERS,
    ItemSeries,
    LoggedItem,
    logged_item,
    series_response,
    url_of,
)
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, choice
from mindinsight_like.http.response_types import Count, PartialResponse, response_type
from mindinsight_like.items.series import TENSOR_OUTLINES, TENSORS, Item
from mindinsight_like.tables.json_numbers import JsonNumber, number
from mindinsight_like.values.tensors.tensor_statistics import Statistics
from mindinsight_like.values.tensors.tensors import TensorSummary

bp = Blueprint("tensors", __name__)


@response_type
class TensorStatistics:
    """Statistics of the finite numbers of a tensor, null if there are none, and counts of non-finite ones."""

    min: JsonNumber | None
    max: JsonNumber | None
    mean: JsonNumber | None
    std: JsonNumber | None
    sum: JsonNumber | None
    nan: Count
    pos_inf: Count
    neg_inf: Count


class TensorItem(LoggedItem):
    """A tensor at one step."""

    dtype: str | None
    shape: list[Count] | None
    statistics: Annotated[
        TensorStatistics | None, Meta(description="Null for strings, for complex numbers, and with `statistics=none`.")
    ]
    url: Annotated[str | None, Meta(description="Address of the numbers as a .npy file; null for strings.")]


class TensorSeries(ItemSeries):
    items: list[TensorItem]


class TensorSeriesList(PartialResponse):
    series: list[TensorSeries]


_WITH_STATISTICS = choice(
    "statistics",
    "`none`: only type and shape, so that no numbers are read.",
    ("all", "none"),
    default="all",
)


@bp.route("/tensors", methods=["GET", "POST"])
@Operation(answer=TensorSeriesList, parameters=(*PARAMETERS, _WITH_STATISTICS), errors=ERRORS)
def tensors(params: Params) -> Response:
    """Tensors of the given runs and tags."""
    return series_response(params, TENSORS if params[_WITH_STATISTICS] == "all" else TENSOR_OUTLINES, _tensor)


def _tensor(item: Item[TensorSummary]) -> TensorItem:
    summary = item.value
    if summary is None:
        return {**logged_item(item), "dtype": None, "shape": None, "statistics": None, "url": None}
    return {
        **logged_item(item),
        "dtype": summary.dtype,
        "shape": list(summary.shape),
        "statistics": tensor_statistics(summary.statistics) if summary.statistics else None,
        "url": None if summary.dtype == "string" else url_of(item),
    }


def tensor_statistics(statistics: Statistics) -> TensorStatistics:
    return TensorStatistics(
        min=number(statistics.min),
        max=number(statistics.max),
        mean=number(statistics.mean),
        std=number(statistics.std),
        sum=number(statistics.sum),
        nan=statistics.nan,
        pos_inf=statistics.pos_inf,
        neg_inf=statistics.neg_inf,
    )
