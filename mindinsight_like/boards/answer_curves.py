"""Precision-recall and ROC curves, with the counts behind every point."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import operation, series_answer
from mindinsight_like.items import PR_CURVES, ROC_CURVES, Item
from mindinsight_like.values.answer_curves import PrCurve, RocCurve
from mindinsight_like.web.numbers import column
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.schemas import NUMBER, listed, or_null

bp = Blueprint("answer_curves", __name__)

_COUNTS = ("thresholds", "tp", "fp", "tn", "fn")
_PR = (*_COUNTS, "precision", "recall")
_ROC = (*_COUNTS, "tpr", "fpr")


def _with(names: tuple[str, ...]) -> Operation:
    return operation(**dict.fromkeys(names, or_null(listed(NUMBER))))


@bp.route("/pr-curves", methods=["GET", "POST"])
@_with(_PR)
def pr_curves(given: Given) -> Response:
    """The precision-recall curves of the asked tags in the asked runs."""
    return series_answer(given, PR_CURVES, lambda item: _columns(item, _PR))


@bp.route("/roc-curves", methods=["GET", "POST"])
@_with(_ROC)
def roc_curves(given: Given) -> Response:
    """The ROC curves of the asked tags in the asked runs, their rates computed from the counts."""
    return series_answer(given, ROC_CURVES, lambda item: _columns(item, _ROC))


def _columns(item: Item[PrCurve] | Item[RocCurve], names: tuple[str, ...]) -> dict[str, object]:
    return {name: None if item.value is None else column(getattr(item.value, name)) for name in names}
