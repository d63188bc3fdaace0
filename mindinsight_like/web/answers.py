"""Answers: JSON bodies, errors in their one shape, and ETags that spare both sides work nobody needs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import orjson
from flask import current_app, request
from flask.wrappers import Response

from mindinsight_like.errors import ServiceError, StillLoading, error_body
from mindinsight_like.web.compression import accepts_gzip

_REVALIDATE = "private, no-cache"  # keep it, but ask before each use whether it is still true
_LASTING = "private, max-age=31536000, immutable"


def json_answer(body: object, *, status: int = 200) -> Response:
    """The body as JSON; numpy columns in it are written as lists."""
    text = orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(text, status=status, content_type="application/json")


def error_answer(error: ServiceError) -> Response:
    answer = json_answer(error_body(error), status=error.status)
    answer.headers["Cache-Control"] = "no-store"
    if isinstance(error, StillLoading):
        answer.headers["Retry-After"] = "1"
    return answer


def unless_known(state: object, build: Callable[[], Response], *, lasts: bool = False) -> Response:
    """What `build` returns, with an ETag; 304 without building when the client already holds that answer.

    `state` is anything printable that changes whenever the data behind the answer does. It is read before the
    data, so a change in between makes the client ask once more, never miss something. An answer that `lasts` is the
    same forever, so the client need not even ask.
    """
    if request.method not in ("GET", "HEAD"):
        return build()
    # Each encoding is a representation of its own, so a strong ETag has to tell them apart.
    parts = (current_app.extensions["edition"], request.full_path, accepts_gzip(request), state)
    answer = _tagged(hashlib.sha256(repr(parts).encode()).hexdigest()[:32], build)
    answer.headers["Cache-Control"] = _LASTING if lasts else _REVALIDATE
    return answer


def unless_same(body: object) -> Response:
    """The body as JSON, or 304: for small answers whose text is the cheapest description of their state."""
    answer = json_answer(body)
    return unless_known(answer.get_data(), lambda: answer)


def _tagged(tag: str, build: Callable[[], Response]) -> Response:
    # Weak comparison, as RFC 9110 has it for If-None-Match: proxies that recompress weaken our tags.
    known = request.if_none_match.contains_weak(tag)
    answer = Response(status=304) if known else build()
    answer.set_etag(tag)
    answer.vary.add("Accept-Encoding")
    if known:
        answer.headers.pop("Content-Type", None)
    return answer
