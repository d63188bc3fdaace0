"""Audio: metadata of the clips; the files themselves are blobs."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

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
from mindinsight_like.items.series import SOUNDS, Item
from mindinsight_like.values.audio import Sound

bp = Blueprint("audio", __name__)


class AudioItem(LoggedItem):
    """An audio clip at one step."""

    index: ItemIndex
    sample_rate: Count | None
    channels: Count | None
    frames: Annotated[Count | None, Meta(description="Number of samples of each channel.")]
    label: Annotated[str | None, Meta(description="Name of the clip; usually empty.")]
    url: FileUrl


class AudioSeries(ItemSeries):
    items: list[AudioItem]


class AudioSeriesList(PartialResponse):
    series: list[AudioSeries]


@bp.route("/audio", methods=["GET", "POST"])
@item_operation(AudioSeriesList)
def audio(params: Params) -> Response:
    """Audio clips of the given runs and tags."""
    return series_response(params, SOUNDS, _clip)


def _clip(item: Item[Sound]) -> AudioItem:
    clip = item.value
    return {
        **logged_item(item),
        "index": item.reference.part,
        "sample_rate": clip.sample_rate if clip else None,
        "channels": clip.channels if clip else None,
        "frames": clip.frames if clip else None,
        "label": clip.label if clip else None,
        "url": url_of(item),
    }
