"""Precision-recall and ROC curves, with the counts behind every point."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import ItemSeries, LoggedItem, item_operation, logged_item, series_response
from mindinsight_like.http.parameters import Params
from mindinsight_like.http.response_types import Numbers, PartialResponse
from mindinsight_like.items.series import PR_CURVES, ROC_CURVES, Item
from mindinsight_like.tables.json_numbers import column
from mindinsight_like.values.pr_curves import PrCurve, RocCurve

bp = Blueprint("answer_curves", __name__)


class ClassifierCounts(LoggedItem):
    """Counts of a binary classifier at each threshold: true and false, positives and negatives."""

    thresholds: Numbers | None
    tp: Numbers | None
    fp: Numbers | None
    tn: Numbers | None
    fn: Numbers | None


class PrCurveItem(ClassifierCounts):
    """A precision-recall curve at one step."""

    precision: Numbers | None
    recall: Numbers | None


class RocCurveItem(ClassifierCounts):
    """A ROC curve at one step."""

    tpr: Numbers | None
    fpr: Numbers | None


class PrCurveSeries(ItemSeries):
    items: list[PrCurveItem]


class RocCurveSeries(ItemSeries):
    items: list[RocCurveItem]


class PrCurveSeriesList(PartialResponse):
    series: list[PrCurveSeries]


class RocCurveSeriesList(PartialResponse):
    series: list[RocCurveSeries]


@bp.route("/pr-curves", methods=["GET", "POST"])
@item_operation(PrCurveSeriesList)
def pr_curves(params: Params) -> Response:
    """Precision-recall curves of the given runs and tags."""
    return series_response(params, PR_CURVES, _pr_curve)


@bp.route("/roc-curves", methods=["GET", "POST"])
@item_operation(RocCurveSeriesList)
def roc_curves(params: Params) -> Response:
    """ROC curves of the given runs and tags; rates are computed from the counts."""
    return series_response(params, ROC_CURVES, _roc_curve)


def _pr_curve(item: Item[PrCurve]) -> PrCurveItem:
    curve = item.value
    return {
        **_counts(item),
        "precision": column(curve.precision) if curve else None,
        "recall": column(curve.recall) if curve else None,
    }


def _roc_curve(item: Item[RocCurve]) -> RocCurveItem:
    curve = item.value
    return {
        **_counts(item),
        "tpr": column(curve.tpr) if curve else None,
        "fpr": column(curve.fpr) if curve else None,
    }


def _counts(item: Item[PrCurve] | Item[RocCurve]) -> ClassifierCounts:
    curve = item.value
    return {
        **logged_item(item),
        "thresholds": column(curve.thresholds) if curve else None,
        "tp": column(curve.tp) if curve else None,
        "fp": column(curve.fp) if curve else None,
        "tn": column(curve.tn) if curve else None,
        "fn": column(curve.fn) if curve else None,
    }
