"""Files inside log records (images, audio, arrays), served so that a browser never runs them."""

from __future__ import annotations

import hashlib

from flask import Blueprint, request
from flask.wrappers import Response

from mindinsight_like.errors import BlobGone, NotFound, StillLoading, TooLarge
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params
from mindinsight_like.http.responses import attachment_name, conditional_response
from mindinsight_like.items.series import EnclosedFile, read_file
from mindinsight_like.store.blobs import Reference
from mindinsight_like.values.file_types import GIF, JPEG, PNG, WAV

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
def blob(params: Params, token: str) -> Response:
    """The file at a URL from another response: an image, an audio clip or an array (.npy).

    The content decides the type; anything but PNG, JPEG, GIF and WAV is sent as a download.
    """
    reference = Reference.of(token)
    file = read_file(current_reader(), reference)
    state = hashlib.sha256(file.data).digest()
    answer = conditional_response(state, lambda: _answer(file, reference), lasts=file.is_final)
    if answer.status_code == 200:
        # Sounds and videos are played from any place.
        answer.make_conditional(request, accept_ranges=True, complete_length=len(file.data))
    return answer


def _answer(file: EnclosedFile, reference: Reference) -> Response:
    answer = Response(file.data, content_type=file.content_type or _OTHER)
    ending = _ENDINGS.get(file.content_type or "", "npy" if file.data.startswith(_NPY_START) else "bin")
    name = attachment_name(file.tag, str(file.step), *([str(reference.part)] if reference.part else []))
    place = "inline" if file.content_type else "attachment"
    answer.headers["Content-Disposition"] = f'{place}; filename="{name}.{ending}"'
    answer.headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer
