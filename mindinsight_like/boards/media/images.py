"""Images and videos: metadata; the files themselves are blobs."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import (
    FileUrl,
    ItemIndex,
    ItemSeries,
    LoggedItem,
    item_operation,
    logged_item,
    series_response,
    url_of,
)
from mindinsight_like.http.parameters import Params
from mindinsight_like.http.response_types import Count, PartialResponse
from mindinsight_like.items.series import IMAGES, VIDEOS, Item
from mindinsight_like.values.images import Picture

bp = Blueprint("images", __name__)


class ImageItem(LoggedItem):
    """An image or a video at one step."""

    index: ItemIndex
    width: Count | None
    height: Count | None
    url: FileUrl


class ImageSeries(ItemSeries):
    items: list[ImageItem]


class ImageSeriesList(PartialResponse):
    series: list[ImageSeries]


@bp.route("/images", methods=["GET", "POST"])
@item_operation(ImageSeriesList)
def images(params: Params) -> Response:
    """Images of the given runs and tags."""
    return series_response(params, IMAGES, _image)


@bp.route("/video", methods=["GET", "POST"])
@item_operation(ImageSeriesList)
def video(params: Params) -> Response:
    """Videos (animated GIFs) of the given runs and tags."""
    return series_response(params, VIDEOS, _image)


def _image(item: Item[Picture]) -> ImageItem:
    image = item.value
    return {
        **logged_item(item),
        "index": item.reference.part,
        "width": image.width if image else None,
        "height": image.height if image else None,
        "url": url_of(item),
    }
