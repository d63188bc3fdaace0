"""Embeddings that are in log records; the vectors themselves are blobs, as files of numpy."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import URL, operation, series_answer, url_of
from mindinsight_like.items import EMBEDDINGS, Item
from mindinsight_like.values.embeddings import Embedding
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.schemas import COUNT, STRING, listed, or_null

bp = Blueprint("embeddings", __name__)


@bp.route("/embeddings", methods=["GET", "POST"])
@operation(
    points=or_null(COUNT),
    dimensions=or_null(COUNT),
    header=or_null(listed(STRING)) | {"description": "What the labels are called; empty when there is but one."},
    labels=or_null(listed(listed(STRING))) | {"description": "The labels of each point."},
    url=URL | {"description": "Address of the vectors as a .npy file, one row per point."},
)
def embeddings(given: Given) -> Response:
    """The embeddings that VisualDL logged under the asked tags in the asked runs; VisualDL 1.x logs point by point."""
    return series_answer(given, EMBEDDINGS, _embedding)


def _embedding(item: Item[Embedding]) -> dict[str, object]:
    found = item.value
    return {
        "points": found.vectors.shape[0] if found else None,
        "dimensions": found.vectors.shape[1] if found else None,
        "header": found.header if found else None,
        "labels": found.labels if found else None,
        "url": url_of(item),
    }
