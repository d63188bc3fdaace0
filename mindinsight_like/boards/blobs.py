"""Files out of log records: pictures, sounds, arrays. A browser never takes one for anything that it would run."""

from __future__ import annotations

import hashlib
import re

from flask import Blueprint, request
from flask.wrappers import Response

from mindinsight_like.errors import BlobGone, NotFound, StillLoading, TooLarge
from mindinsight_like.items import EnclosedFile, read_file
from mindinsight_like.store.blobs import Reference
from mindinsight_like.values.file_types import GIF, JPEG, PNG, WAV
from mindinsight_like.web.answers import unless_known
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.source import current_reader

bp = Blueprint("blobs", __name__)

_ENDINGS = {PNG: "png", JPEG: "jpg", GIF: "gif", WAV: "wav"}
_OTHER = "application/octet-stream"
_NPY_START = b"\x93NUMPY"


@bp.get("/blobs/<token>")
@Operation(
    answer=None,
    errors=(NotFound, BlobGone, TooLarge, StillLoading),
    other_formats=dict.fromkeys((*_ENDINGS, _OTHER), "The file."),
)
def blob(given: Given, token: str) -> Response:
    """The file at an address from another answer: a picture, a sound, or an array (.npy).

    The type is told by the content; what is not PNG, JPEG, GIF or WAV is sent as a download.
    """
    reference = Reference.of(token)
    file = read_file(current_reader(), reference)
    state = hashlib.sha256(file.data).digest()
    answer = unless_known(state, lambda: _answer(file, reference), lasts=file.is_final)
    if answer.status_code == 200:
        # Sounds and videos are played from any place.
        answer.make_conditional(request, accept_ranges=True, complete_length=len(file.data))
    return answer


def _answer(file: EnclosedFile, reference: Reference) -> Response:
    answer = Response(file.data, content_type=file.content_type or _OTHER)
    ending = _ENDINGS.get(file.content_type or "", "npy" if file.data.startswith(_NPY_START) else "bin")
    name = re.sub(r"[^A-Za-z0-9.-]+", "_", file.tag).strip("._") or "file"
    place = "inline" if file.content_type else "attachment"
    answer.headers["Content-Disposition"] = f'{place}; filename="{name[:100]}_{reference.part}.{ending}"'
    answer.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer
