"""Tensors: shape, type and statistics; the numbers themselves are blobs, as files of numpy."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import ERRORS, PARAMETERS, URL, series_answer, series_of, url_of
from mindinsight_like.items import TENSOR_OUTLINES, TENSORS, Item
from mindinsight_like.values.tensor_statistics import Statistics
from mindinsight_like.values.tensors import TensorSummary
from mindinsight_like.web.numbers import number
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, choice
from mindinsight_like.web.schemas import COUNT, NUMBER, STRING, listed, or_null, record

bp = Blueprint("tensors", __name__)

STATISTICS = record(
    min=or_null(NUMBER) | {"description": "Of the finite numbers, as mean, std and sum; null when there are none."},
    max=or_null(NUMBER),
    mean=or_null(NUMBER),
    std=or_null(NUMBER),
    sum=or_null(NUMBER),
    nan=COUNT,
    pos_inf=COUNT,
    neg_inf=COUNT,
)


_WITH_STATISTICS = choice(
    "statistics",
    "`none`: only what the tensors are, so that nothing of their numbers is read.",
    ("all", "none"),
    default="all",
)


@bp.route("/tensors", methods=["GET", "POST"])
@Operation(
    answer=series_of(
        dtype=or_null(STRING),
        shape=or_null(listed(COUNT)),
        statistics=or_null(STATISTICS) | {"description": "Null for strings, complex numbers, and when not asked for."},
        url=URL | {"description": "Address of the numbers as a .npy file; null for strings."},
    ),
    parameters=(*PARAMETERS, _WITH_STATISTICS),
    errors=ERRORS,
)
def tensors(given: Given) -> Response:
    """The tensors of the asked tags in the asked runs."""
    return series_answer(given, TENSORS if given[_WITH_STATISTICS] == "all" else TENSOR_OUTLINES, _tensor)


def _tensor(item: Item[TensorSummary]) -> dict[str, object]:
    found = item.value
    if found is None:
        return {"dtype": None, "shape": None, "statistics": None, "url": None}
    return {
        "dtype": found.dtype,
        "shape": list(found.shape),
        "statistics": statistics_json(found.statistics) if found.statistics else None,
        "url": None if found.dtype == "string" else url_of(item),
    }


def statistics_json(found: Statistics) -> dict[str, object]:
    """The statistics as fields of an answer."""
    return {
        "min": number(found.min),
        "max": number(found.max),
        "mean": number(found.mean),
        "std": number(found.std),
        "sum": number(found.sum),
        "nan": found.nan,
        "pos_inf": found.pos_inf,
        "neg_inf": found.neg_inf,
    }
