"""Responses: JSON bodies, the one error format, and ETags, so that unchanged ones are not sent again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence

import orjson
from flask import request
from flask.wrappers import Response

from mindinsight_like.errors import Rebuilding, ServiceError
from mindinsight_like.http.app_state import current_state
from mindinsight_like.http.compression import accepts_gzip
from mindinsight_like.http.response_types import Error, ErrorDetail, PartialResponse

_REVALIDATE = "private, no-cache"  # keep it, but ask before each use whether it is still true
_LASTING = "private, max-age=31536000, immutable"


def attachment_name(*parts: str) -> str:
    """A file name, without its ending, that every system takes: tags, steps and the like, joined."""
    plain = (re.sub(r"[^A-Za-z0-9.-]+", "_", part).strip("._") for part in parts)
    return "_".join(filter(None, plain))[:120] or "file"


def json_response(body: object, *, status: int = 200) -> Response:
    """The body, an object of a response type, as JSON; numpy columns in it are written as lists."""
    text = orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(text, status=status, content_type="application/json")


def partial_response(body: PartialResponse, rebuilding: Sequence[str]) -> Response:
    """The body as JSON; with the runs that are missing in it, where there are any, since they are being rebuilt."""
    if rebuilding:
        body["rebuilding"] = list(rebuilding)
    return marked_partial(json_response(body), rebuilding)


def marked_partial(answer: Response, rebuilding: Sequence[str]) -> Response:
    """The answer, with headers that say when to ask again where runs are missing in it."""
    if rebuilding:
        answer.headers["Cache-Control"] = "no-store"
        answer.headers["Retry-After"] = str(Rebuilding.retry_after_seconds)
    return answer


def error_answer(error: ServiceError) -> Response:
    detail = ErrorDetail(code=error.code, message=str(error), details=error.details)
    answer = json_response(Error(error=detail), status=error.status)
    answer.headers["Cache-Control"] = "no-store"
    if error.retry_after_seconds is not None:
        answer.headers["Retry-After"] = str(error.retry_after_seconds)
    return answer


def conditional_response(state: object, build: Callable[[], Response], *, lasts: bool = False) -> Response:
    """What `build` returns, with an ETag; 304 without building when the client already holds that answer.

    `state` is anything printable that changes whenever the data behind the answer does. It is read before the
    data, so a change in between makes the client ask once more, never miss something. An answer that `lasts` is the
    same forever, so the client need not even ask. A partial answer has no ETag: the end of a rebuild changes no state.
    """
    if request.method not in ("GET", "HEAD"):
        return build()
    # Each encoding is a representation of its own, so a strong ETag has to tell them apart.
    parts = (current_state().edition, request.full_path, accepts_gzip(request), state)
    answer = _tagged(hashlib.sha256(repr(parts).encode()).hexdigest()[:32], build)
    if not answer.cache_control.no_store:
        answer.headers["Cache-Control"] = _LASTING if lasts else _REVALIDATE
    return answer


def unless_same(body: object) -> Response:
    """The body as JSON, or 304: for small answers whose text is the cheapest description of their state."""
    answer = json_response(body)
    return conditional_response(answer.get_data(), lambda: answer)


def _tagged(tag: str, build: Callable[[], Response]) -> Response:
    # Weak comparison, as RFC 9110 has it for If-None-Match: proxies that recompress weaken our tags.
    not_modified = request.if_none_match.contains_weak(tag)
    answer = Response(status=304) if not_modified else build()
    if not answer.cache_control.no_store:
        answer.set_etag(tag)
    answer.vary.add("Accept-Encoding")
    if not_modified:
        answer.headers.pop("Content-Type", None)
    return answer
