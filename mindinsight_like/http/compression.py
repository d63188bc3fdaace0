"""Gzip compression of response bodies; numbers as text shrink to less than half."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from flask import request
from flask.wrappers import Request, Response

_SMALLEST = 1024  # bytes; below, the gain is lost in one network packet
_FAST = 1
_GZIP_WINDOW = 31  # 15 bits of window, 16 for the gzip header
_COMPRESSIBLE = frozenset(
    {"application/json", "application/manifest+json", "image/svg+xml", "text/css", "text/csv", "text/html"}
    | {"text/javascript", "text/plain"}
)


class _Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


def _fastest() -> Callable[[], _Compressor]:
    try:
        # A third of zlib's time at its fastest level, and a smaller body.
        from isal import isal_zlib
    except ImportError:
        return lambda: zlib.compressobj(_FAST, zlib.DEFLATED, _GZIP_WINDOW)
    return lambda: isal_zlib.compressobj(_FAST, isal_zlib.DEFLATED, _GZIP_WINDOW)


_compressor = _fastest()


def accepts_gzip(request: Request) -> bool:
    return request.accept_encodings.quality("gzip") > 0


def compress(response: Response) -> Response:
    """The response, gzipped when the client takes it and it helps; streams stay streams."""
    if response.mimetype not in _COMPRESSIBLE or response.status_code in (204, 304):
        return response
    response.vary.add("Accept-Encoding")
    if "Content-Encoding" in response.headers or not accepts_gzip(request):
        return response
    return squeezed_answer(response)


def squeezed_answer(response: Response) -> Response:
    """The response, gzipped unless it is small; for clients that take it."""
    if response.is_streamed:
        response.response = squeezed(response.iter_encoded())
    else:
        body = response.get_data()
        if len(body) <= _SMALLEST:
            return response
        squeezer = _compressor()
        response.set_data(squeezer.compress(body) + squeezer.flush())
    response.headers["Content-Encoding"] = "gzip"
    return response


def squeezed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces of a gzip file with this content."""
    squeezer = _compressor()
    for piece in pieces:
        if squeezed := squeezer.compress(piece):
            yield squeezed
    yield squeezer.flush()
