"""Sounds: what there is of them; the files themselves are blobs."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import INDEX, URL, operation, series_answer, url_of
from mindinsight_like.items import SOUNDS, Item
from mindinsight_like.values.sounds import Sound
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.schemas import COUNT, STRING, or_null

bp = Blueprint("audio", __name__)


@bp.route("/audio", methods=["GET", "POST"])
@operation(
    index=INDEX,
    sample_rate=or_null(COUNT),
    channels=or_null(COUNT),
    frames=or_null(COUNT) | {"description": "Samples of each channel."},
    label=or_null(STRING) | {"description": "What the sound was called; mostly empty."},
    url=URL,
)
def audio(given: Given) -> Response:
    """Every sound of the asked tags in the asked runs."""
    return series_answer(given, SOUNDS, _sound)


def _sound(item: Item[Sound]) -> dict[str, object]:
    sound = item.value
    return {
        "index": item.reference.part,
        "sample_rate": sound.sample_rate if sound else None,
        "channels": sound.channels if sound else None,
        "frames": sound.frames if sound else None,
        "label": sound.label if sound else None,
        "url": url_of(item),
    }
