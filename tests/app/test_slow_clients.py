"""Clients that send or read slowly, or not at all, keep nobody else waiting."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mindinsight_like.conf.settings import load
from mindinsight_like.loader.once import load_once
from mindinsight_like.writers.encoding import tensorboard

TOKEN = "correct-horse-battery"
LONGEST_SECONDS = 1.0


@contextlib.contextmanager
def _serving(folder: Path, prepare: Callable[[], None] | None = None) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    base = folder / "logs" / "a"
    base.mkdir(parents=True)
    with (base / tensorboard.file_name(1.75e9, host="host")).open("wb") as log:
        for step in range(60_000):  # as CSV some megabytes, far more than sockets hold
            point = tensorboard.scalar("loss", step / 7)
            log.write(tensorboard.frame(tensorboard.event([point], step=step, wall_time=1.75e9 + step)))
    flags = {"workspace": folder / "workspace", "summary_base_dir": base.parent, "port": port, "workers": 2}
    settings = load({name: str(value) for name, value in (flags | {"token": TOKEN}).items()}, {})
    load_once(settings)
    process = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "-c", "python:mindinsight_like.app.gunicorn"],
        env=os.environ | settings.environment(),
        cwd=folder,
        preexec_fn=prepare,
    )
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                _ask(port)
                break
            except OSError:
                assert process.poll() is None, "gunicorn ended"
                assert time.monotonic() < deadline, "gunicorn does not answer"
                time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait(timeout=10)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with _serving(tmp_path_factory.mktemp("slow")) as port:
        yield port


def _head(path: str, *headers: str, method: str = "GET", token: str = TOKEN) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers]
    lines += [f"Authorization: Bearer {token}"] if token else []
    return "\r\n".join([*lines, "", ""]).encode()


def _exchange(port: int, request: bytes) -> tuple[int, bytes]:
    """Status and all bytes behind the head of an answer, after which the connection ends."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
        sock.sendall(request)
        answer = b"".join(iter(lambda: sock.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def _ask(port: int) -> float:
    """Seconds that an ordinary request takes, on a connection of its own."""
    started = time.monotonic()
    status, _ = _exchange(port, _head("/v1/changes?since=0", "Connection: close"))
    assert status == 200
    return time.monotonic() - started


def _run_id(port: int) -> str:
    _, body = _exchange(port, _head("/v1/runs", "Connection: close"))
    return str(json.loads(body)["runs"][0]["id"])


@contextlib.contextmanager
def _clients(port: int, number: int, first: bytes, *, receive_buffer: int = 0) -> Iterator[list[socket.socket]]:
    with contextlib.ExitStack() as stack:
        clients = []
        for _ in range(number):
            client = stack.enter_context(socket.socket())
            client.settimeout(5)
            if receive_buffer:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            client.connect(("127.0.0.1", port))
            client.sendall(first)
            clients.append(client)
        yield clients


def _trickle(clients: list[socket.socket]) -> None:
    for client in clients:
        with contextlib.suppress(OSError):
            client.send(b"a")


@pytest.mark.parametrize("token", [TOKEN, ""], ids=["with token", "without token"])
@pytest.mark.parametrize("part", ["header", "body", "chunks"])
def test_200_clients_that_trickle_their_requests_delay_nobody(port, part, token):
    first = {
        "header": _head("/v1/service", token=token)[:-2] + b"X-Slow: ",
        "body": _head("/v1/scalars", "Content-Length: 1000000", method="POST", token=token) + b"{",
        "chunks": _head("/v1/scalars", "Transfer-Encoding: chunked", method="POST", token=token) + b"fffff\r\n{",
    }[part]
    with _clients(port, 200, first) as clients:
        took = []
        for _ in range(15):
            _trickle(clients)
            took.append(_ask(port))
            time.sleep(0.05)

    assert max(took) < LONGEST_SECONDS


def test_clients_that_do_not_read_their_answers_delay_nobody(port):
    run = _run_id(port)
    ask = _head(f"/v1/scalars?run={run}&tag=loss&max_points=all&format=csv")
    with _clients(port, 40, ask, receive_buffer=4096) as clients:
        deadline = time.monotonic() + 15  # until their answers are made
        waiting = list(clients)
        while waiting and time.monotonic() < deadline:
            waiting = [client for client in waiting if not _has_answer(client)]
        took = [_ask(port) for _ in range(15)]

    assert not waiting
    assert max(took) < LONGEST_SECONDS


def _has_answer(client: socket.socket) -> bool:
    client.settimeout(0.01)
    try:
        return bool(client.recv(1, socket.MSG_PEEK))
    except TimeoutError:
        return False


def test_a_slow_reader_gets_its_answer_whole(port):
    run = _run_id(port)
    path = f"/v1/scalars?run={run}&tag=loss&max_points=all&format=csv"
    _, expected = _exchange(port, _head(path, "Connection: close"))
    with _clients(port, 1, _head(path, "Connection: close"), receive_buffer=4096) as (client,):
        pieces = []
        while piece := client.recv(65536):
            pieces.append(piece)
            if len(pieces) % 50 == 0:
                time.sleep(0.01)

    assert len(expected) > 1_000_000
    assert b"".join(pieces).partition(b"\r\n\r\n")[2] == expected


def test_a_request_that_does_not_end_is_dropped(port):
    with _clients(port, 1, b"GET / HTTP/1.1\r\nHost: ") as (client,):
        client.settimeout(20)
        answer = client.recv(1000)

    assert answer.startswith(b"HTTP/1.1 408 ")


def test_requests_may_arrive_in_pieces_and_several_at_once(port):
    request = _head("/v1/views", "Content-Length: 2", "Content-Type: application/json", method="POST") + b"{}"
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        for start in range(0, len(request), 7):
            client.sendall(request[start : start + 7])
            time.sleep(0.002)
        assert client.recv(65536).startswith(b"HTTP/1.1 400 ")
        client.sendall(_head("/v1/service") * 3 + _head("/v1/service", "Connection: close"))
        answers = b"".join(iter(lambda: client.recv(65536), b""))

    assert answers.count(b"HTTP/1.1 200 OK") == 4


def test_a_body_that_is_too_long_is_refused_before_it_is_sent(port):
    length = _head("/v1/scalars", "Content-Length: 20000000", method="POST")
    chunks = _head("/v1/scalars", "Transfer-Encoding: chunked", method="POST") + b"fffffff\r\n"

    for request in (length, chunks):
        status, body = _exchange(port, request)
        assert status == 413
        assert json.loads(body)["error"]["code"] == "too_large"


def test_a_client_that_asks_whether_to_send_its_body_is_told(port):
    head = _head("/v1/views", "Expect: 100-continue", "Content-Length: 2", "Connection: close", method="POST")
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(head)
        assert client.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"{}")
        answer = b"".join(iter(lambda: client.recv(65536), b""))

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "request_bytes",
    [
        _head("/v1/scalars", "Transfer-Encoding: chunked", method="POST") + b"zz\r\n{}\r\n0\r\n\r\n",
        _head("/v1/scalars", "Transfer-Encoding: chunked", method="POST") + b"0x2\r\n{}\r\n0\r\n\r\n",
        _head("/v1/scalars", "Transfer-Encoding: chunked", method="POST") + b"2\r\n{}xx0\r\n\r\n",
        _head("/v1/scalars", "Transfer-Encoding: chunked", "Content-Length: 3", method="POST") + b"0\r\n\r\n",
        _head("/v1/scalars", "Content-Length: 1", "Content-Length: 2", method="POST") + b"{}",
        _head("/v1/scalars", "Content-Length: +2", method="POST") + b"{}",
        b"GET /v1/service HTTP/1.1\nHost: 127.0.0.1\n\n",
        b"GET /v1/" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n",
        b"\r\n\r\n\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
def test_malformed_requests_are_the_clients_fault(port, request_bytes):
    status, _ = _exchange(port, request_bytes)

    assert 400 <= status < 500


def test_600_idle_connections_with_few_files_allowed_delay_nobody(tmp_path):
    def few_files() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    with _serving(tmp_path, few_files) as port, _clients(port, 600, b""):
        took = [_ask(port) for _ in range(15)]

    assert max(took) < LONGEST_SECONDS
