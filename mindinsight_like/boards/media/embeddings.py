"""Embeddings of VisualDL and of TensorBoard's projector; the vectors themselves are blobs (.npy)."""

from __future__ import annotations

from functools import partial
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
from mindinsight_like.items.series import DESCRIBED_EMBEDDINGS, Item
from mindinsight_like.values.embeddings.labelled_vectors import LabelledVectors, Labels
from mindinsight_like.values.records import BadValue

bp = Blueprint("embeddings", __name__)

_LABELS = choice("labels", "`none` leaves the labels out, which may be many.", ("all", "none"), default="all")


@response_type
class EmbeddingSprite:
    """An image of each point, row by row in one file."""

    url: str | None
    width: Annotated[int, Meta(ge=0, description="Width of one image.")]
    height: Annotated[int, Meta(ge=0, description="Height of one image.")]


class EmbeddingItem(LoggedItem):
    """An embedding at one step."""

    points: Count | None
    dimensions: Count | None
    header: Annotated[list[str] | None, Meta(description="Names of the labels; empty if they have none.")]
    labels: Annotated[list[list[str]] | None, Meta(description="Labels of each point; empty if there are none.")]
    url: Annotated[str | None, Meta(description="Address of the vectors as a .npy file, one row per point.")]
    sprite: EmbeddingSprite | None
    notes: Annotated[list[str] | None, Meta(description="Problems with the labels or images.")]


class EmbeddingSeries(ItemSeries):
    items: list[EmbeddingItem]


class EmbeddingSeriesList(PartialResponse):
    series: list[EmbeddingSeries]


@bp.route("/embeddings", methods=["GET", "POST"])
@Operation(answer=EmbeddingSeriesList, parameters=(*PARAMETERS, _LABELS), errors=ERRORS)
def embeddings(params: Params) -> Response:
    """Embeddings of the given runs and tags; VisualDL 1.x logs them point by point."""
    return series_response(params, DESCRIBED_EMBEDDINGS, partial(_embedding, with_labels=params[_LABELS] == "all"))


def _embedding(item: Item[LabelledVectors], *, with_labels: bool) -> EmbeddingItem:
    embedding = item.value
    if embedding is None:
        return {
            **logged_item(item),
            "points": None,
            "dimensions": None,
            "header": None,
            "labels": None,
            "url": None,
            "sprite": None,
            "notes": None,
        }
    labels, notes = _labels(embedding) if with_labels else (None, [])
    sprite = embedding.sprite
    return {
        **logged_item(item),
        "points": embedding.points,
        "dimensions": embedding.dimensions,
        "header": labels.header if labels else None,
        "labels": labels.rows if labels else None,
        "url": url_of(item),
        "sprite": EmbeddingSprite(url=url_of(item, part=1), width=sprite.one.width, height=sprite.one.height)
        if sprite
        else None,
        "notes": [*embedding.notes, *notes],
    }


def _labels(embedding: LabelledVectors) -> tuple[Labels, list[str]]:
    """The labels, or none and why not."""
    try:
        return embedding.labels(), []
    except BadValue as error:
        return Labels([], []), [f"the labels cannot be shown: {error}"]
