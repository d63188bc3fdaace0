"""Images and videos: what there is of them; the files themselves are blobs."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import INDEX, URL, operation, series_answer, url_of
from mindinsight_like.items import IMAGES, VIDEOS, Item
from mindinsight_like.values.images import Picture
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.schemas import COUNT, or_null

bp = Blueprint("images", __name__)

_OPERATION = operation(index=INDEX, width=or_null(COUNT), height=or_null(COUNT), url=URL)


@bp.route("/images", methods=["GET", "POST"])
@_OPERATION
def images(given: Given) -> Response:
    """Every image of the asked tags in the asked runs."""
    return series_answer(given, IMAGES, _picture)


@bp.route("/video", methods=["GET", "POST"])
@_OPERATION
def video(given: Given) -> Response:
    """Every video (an animated GIF) of the asked tags in the asked runs."""
    return series_answer(given, VIDEOS, _picture)


def _picture(item: Item[Picture]) -> dict[str, object]:
    picture = item.value
    return {
        "index": item.reference.part,
        "width": picture.width if picture else None,
        "height": picture.height if picture else None,
        "url": url_of(item),
    }
