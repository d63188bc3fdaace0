"""Texts as they were logged, mostly Markdown; the page sanitises them before rendering."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.boards.item_series import (
    ERRORS,
    PARAMETERS,
    ItemIndex,
    ItemSeries,
    LoggedItem,
    logged_item,
    series_response,
)
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, whole, words
from mindinsight_like.http.response_types import Count, PartialResponse
from mindinsight_like.items.series import TEXTS, Item
from mindinsight_like.values.texts import Text

bp = Blueprint("texts", __name__)

CONTAINS = words("contains", "Only texts that contain these words, ignoring case.")
PREVIEW = whole("preview", "Only this many characters from the start of each text.", default=None, lowest=0)


class TextItem(LoggedItem):
    """A text at one step."""

    index: ItemIndex
    text: str | None
    length: Annotated[Count | None, Meta(description="Number of characters of the whole text.")]
    shape: Annotated[
        list[Count] | None,
        Meta(description="Shape of the table that the text is a cell of, at `index`; empty for a text on its own."),
    ]


class TextSeries(ItemSeries):
    items: list[TextItem]


class TextSeriesList(PartialResponse):
    series: list[TextSeries]


@bp.route("/texts", methods=["GET", "POST"])
@Operation(answer=TextSeriesList, parameters=(*PARAMETERS, CONTAINS, PREVIEW), errors=ERRORS)
def texts(params: Params) -> Response:
    """Texts of the given runs and tags."""
    needle, most = params[CONTAINS].lower(), params[PREVIEW]

    def build_item(item: Item[Text]) -> TextItem:
        value = item.value
        return {
            **logged_item(item),
            "index": item.reference.part,
            "text": value.text[:most] if value else None,
            "length": len(value.text) if value else None,
            "shape": list(value.shape) if value else None,
        }

    def is_wanted(item: Item[Text]) -> bool:
        return needle == "" or (item.value is not None and needle in item.value.text.lower())

    return series_response(params, TEXTS, build_item, is_wanted=is_wanted)
