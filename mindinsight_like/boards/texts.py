"""Texts, as they were written: Markdown mostly, which the page makes safe before it shows it."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import ERRORS, INDEX, PARAMETERS, series_answer, series_of
from mindinsight_like.items import TEXTS, Item
from mindinsight_like.values.texts import Text
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, text, whole
from mindinsight_like.web.schemas import COUNT, STRING, listed, or_null

bp = Blueprint("texts", __name__)

CONTAINS = text("contains", "Only texts with these words in them, in small or capital letters.")
PREVIEW = whole("preview", "Only so many characters of the beginning of each text.", default=None, lowest=0)


@bp.route("/texts", methods=["GET", "POST"])
@Operation(
    answer=series_of(
        index=INDEX,
        text=or_null(STRING),
        length=or_null(COUNT) | {"description": "Characters of the whole text."},
        shape=or_null(listed(COUNT))
        | {"description": "Of the table whose texts are given row by row, by `index`; empty for a text alone."},
    ),
    parameters=(*PARAMETERS, CONTAINS, PREVIEW),
    errors=ERRORS,
)
def texts(given: Given) -> Response:
    """Every text of the asked tags in the asked runs."""
    wanted, most = given[CONTAINS].lower(), given[PREVIEW]

    def fields(item: Item[Text]) -> dict[str, object]:
        found = item.value
        return {
            "index": item.reference.part,
            "text": found.text[:most] if found else None,
            "length": len(found.text) if found else None,
            "shape": list(found.shape) if found else None,
        }

    def is_wanted(item: Item[Text]) -> bool:
        return wanted == "" or (item.value is not None and wanted in item.value.text.lower())

    return series_answer(given, TEXTS, fields, is_wanted=is_wanted)
