"""Texts, as they were written: Markdown mostly, which the page makes safe before it shows it."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import INDEX, operation, series_answer
from mindinsight_like.items import TEXTS
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.schemas import STRING, or_null

bp = Blueprint("texts", __name__)


@bp.route("/texts", methods=["GET", "POST"])
@operation(index=INDEX, text=or_null(STRING))
def texts(given: Given) -> Response:
    """Every text of the asked tags in the asked runs; those of a table row by row, by `index`."""
    return series_answer(given, TEXTS, lambda item: {"index": item.reference.part, "text": item.value})
