"""Embeddings of VisualDL and of TensorBoard's projector; the vectors themselves are blobs, as files of numpy."""

from __future__ import annotations

from functools import partial

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import ERRORS, PARAMETERS, URL, series_answer, series_of, url_of
from mindinsight_like.items import DESCRIBED_EMBEDDINGS, Item
from mindinsight_like.values.labelled_vectors import LabelledVectors, Labels
from mindinsight_like.values.records import BadValue
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, choice
from mindinsight_like.web.schemas import COUNT, STRING, listed, or_null, record

bp = Blueprint("embeddings", __name__)

_LABELS = choice("labels", "`none`: without the labels, which may be many.", ("all", "none"), default="all")


@bp.route("/embeddings", methods=["GET", "POST"])
@Operation(
    answer=series_of(
        points=or_null(COUNT),
        dimensions=or_null(COUNT),
        header=or_null(listed(STRING)) | {"description": "What the labels are called; empty when nobody said so."},
        labels=or_null(listed(listed(STRING))) | {"description": "The labels of each point; empty when it has none."},
        url=URL | {"description": "Address of the vectors as a .npy file, one row per point."},
        sprite=or_null(record(url=STRING, width=COUNT, height=COUNT))
        | {"description": "A picture of each point, row by row in one file; width and height are those of one."},
        notes=or_null(listed(STRING)) | {"description": "What is wrong with the labels or pictures."},
    ),
    parameters=(*PARAMETERS, _LABELS),
    errors=ERRORS,
)
def embeddings(given: Given) -> Response:
    """The embeddings of the asked tags in the asked runs; VisualDL 1.x logs point by point."""
    return series_answer(given, DESCRIBED_EMBEDDINGS, partial(_embedding, with_labels=given[_LABELS] == "all"))


def _embedding(item: Item[LabelledVectors], *, with_labels: bool) -> dict[str, object]:
    found = item.value
    if found is None:
        return dict.fromkeys(("points", "dimensions", "header", "labels", "url", "sprite", "notes"))
    labels, notes = _labels(found) if with_labels else (None, [])
    url = url_of(item)
    sprite = found.sprite and {
        "url": url_of(item, part=1), "width": found.sprite.one.width, "height": found.sprite.one.height
    }  # fmt: skip
    return {
        "points": found.points,
        "dimensions": found.dimensions,
        "header": labels.header if labels else None,
        "labels": labels.rows if labels else None,
        "url": url,
        "sprite": sprite,
        "notes": [*found.notes, *notes],
    }


def _labels(found: LabelledVectors) -> tuple[Labels, list[str]]:
    """The labels, or none and why not."""
    try:
        return found.labels(), []
    except BadValue as error:
        return Labels([], []), [f"the labels cannot be shown: {error}"]
