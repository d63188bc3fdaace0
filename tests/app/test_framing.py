"""Where requests end, however their bytes arrive; gunicorn's parser is the judge."""

from __future__ import annotations

import itertools

import pytest
from gunicorn.config import Config
from gunicorn.http.parser import RequestParser
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.app.worker.request_framing import Flaw, Limits, ReceivedRequest, RequestFraming

LIMITS = Limits(line=100, head=1000, body=5000)


def _plain(body: bytes) -> bytes:
    return b"POST /v1/scalars HTTP/1.1\r\nHost: a\r\nContent-length:%d\r\n\r\n" % len(body) + body


def _chunked(pieces: list[bytes], trailer: bytes = b"") -> bytes:
    head = b"POST /v1/scalars HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = b"".join(b"%x;name=value\r\n%s\r\n" % (len(piece), piece) for piece in pieces if piece)
    return head + chunks + b"0\r\n" + trailer + b"\r\n"


_REQUESTS = st.one_of(
    st.just(b"GET / HTTP/1.1\r\n\r\n"),
    st.just(b"\r\nGET /x HTTP/1.0\r\nConnection: keep-alive\r\nHost: a\r\n\r\n"),
    st.binary(max_size=200).map(_plain),
    st.lists(st.binary(max_size=50), max_size=5).map(_chunked),
    st.lists(st.binary(max_size=50), max_size=3).map(lambda pieces: _chunked(pieces, b"X-Sum: 1\r\nX-More: 2\r\n")),
)


def _taken(framing: RequestFraming) -> list[ReceivedRequest]:
    requests = []
    while (request := framing.take()) is not None:
        requests.append(request)
        if request.flaw:
            break
    return requests


@given(requests=st.lists(_REQUESTS, min_size=1, max_size=4), data=st.data())
def test_requests_are_cut_where_gunicorn_cuts_them_however_they_arrive(requests, data):
    stream = b"".join(requests)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(stream)), max_size=20)) | {0, len(stream)})
    framing = RequestFraming(LIMITS)

    seen = []
    for low, high in itertools.pairwise(cuts):
        framing.feed(stream[low:high])
        seen += _taken(framing)

    assert [request.data for request in seen] == requests
    assert all(request.flaw is None for request in seen)
    assert len(framing) == 0
    parsed = RequestParser(Config(), [stream], ("127.0.0.1", 1))
    for ours in requests:
        alone = RequestParser(Config(), [ours], ("127.0.0.1", 1))
        assert next(parsed).body.read() == next(alone).body.read()


@pytest.mark.parametrize(
    ("stream", "flaw"),
    [
        (b"G" * 103, Flaw.LONG_LINE),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200, Flaw.LONG_HEAD),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", Flaw.LONG_HEAD),
        (b"GET / HTTP/1.1\nHost: a\n\n", Flaw.MALFORMED),
        (b"POST / HTTP/1.1\r\nContent-Length: 5001\r\n\r\n", Flaw.LONG_BODY),
        (b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 500 + b"\r\n\r\n", Flaw.LONG_BODY),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1389\r\n", Flaw.LONG_BODY),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Flaw.MALFORMED),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n", Flaw.MALFORMED),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 8200, Flaw.MALFORMED),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"a" * 8200, Flaw.MALFORMED),
    ],
)
def test_what_can_never_become_a_request_is_handed_on_at_once(stream, flaw):
    framing = RequestFraming(LIMITS)
    framing.feed(stream)

    assert [request.flaw for request in _taken(framing)] == [flaw]


def test_a_client_that_asks_first_is_told_once_to_go_on():
    framing = RequestFraming(LIMITS)
    framing.feed(b"POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n")

    assert framing.take() is None
    assert [framing.wants_continue(), framing.wants_continue()] == [True, False]
    framing.feed(b"abc")
    assert _taken(framing)[0].data.endswith(b"abc")


@given(st.binary(max_size=300))
def test_no_bytes_are_too_odd(data):
    framing = RequestFraming(Limits(line=20, head=60, body=50))
    framing.feed(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + data)
    _taken(framing)
    framing = RequestFraming(Limits(line=20, head=60, body=50))
    framing.feed(data)
    _taken(framing)
