"""A service whose PostgreSQL is restarted, stopped or out of reach: what needs it says so at once, the rest works."""

from __future__ import annotations

import http.client
import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from mindinsight_like.writers.encoding import tensorboard
from tests.conftest import PostgreSQLServer, RunningService

NEEDS_DATABASE = ("/v1/runs", "/v1/changes?since=0", "/v1/service", "/v1/lineage/models", "/v1/views")
NEEDS_NONE = ("/", "/runs", "/favicon.svg", "/healthz", "/v1/openapi.json")


class Link:
    """A line to a server that can be cut: then nothing gets through, and nobody is told."""

    def __init__(self, server_port: int) -> None:
        self._server = ("127.0.0.1", server_port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._is_up = threading.Event()
        self._is_up.set()
        self._is_over = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self._is_up.clear()

    def mend(self) -> None:
        self._is_up.set()

    def close(self) -> None:
        self._is_over.set()
        self._is_up.set()
        self._listener.close()

    def _accept(self) -> None:
        while not self._is_over.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        self._is_up.wait()
        try:
            server = socket.create_connection(self._server)
        except OSError:
            client.close()
            return
        with client, server:
            while not self._is_over.is_set():
                readable, _, _ = select.select([client, server], [], [], 0.2)
                self._is_up.wait()
                for end in readable:
                    try:
                        data = end.recv(65536)
                        (server if end is client else client).sendall(data)
                    except OSError:
                        return
                    if not data:
                        return


class Answered(NamedTuple):
    status: int
    seconds: float
    headers: dict[str, str]
    body: bytes


def _get(service: RunningService, path: str, *, method: str = "GET", body: bytes | None = None) -> Answered:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
    started = time.monotonic()
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
        response = connection.getresponse()
        data = response.read()
        return Answered(response.status, time.monotonic() - started, dict(response.headers), data)
    finally:
        connection.close()


def _statuses_while_away(service: RunningService) -> None:
    """What must hold as long as the database is away; 24 pages ask at the same time."""
    with ThreadPoolExecutor(24) as pool:
        polls = [pool.submit(_get, service, NEEDS_DATABASE[number % len(NEEDS_DATABASE)]) for number in range(24)]
        time.sleep(0.3)
        others = [_get(service, path) for path in NEEDS_NONE for _ in range(2)]
        answers = [poll.result() for poll in polls]
    assert {answer.status for answer in others} == {200}
    assert max(answer.seconds for answer in others) < 1.5
    assert {answer.status for answer in answers} == {503}, [answer.body for answer in answers if answer.status != 503]
    assert max(answer.seconds for answer in answers) < 5.0
    for answer in answers:
        assert json.loads(answer.body)["error"]["code"] == "database_unavailable"
        assert int(answer.headers["Retry-After"]) >= 1
    assert _get(service, "/readyz").status == 503
    saved = _get(service, "/v1/views", method="POST", body=b'{"name": "lost?", "address": "/scalars"}')
    assert (saved.status, saved.seconds < 5.0) == (503, True)


def _comes_back(service: RunningService, log: Callable[[], int]) -> None:
    """After two seconds, in which there is no 500 either, everything is answered again; new points arrive."""
    back = time.monotonic()
    while time.monotonic() - back < 2.0:
        assert _get(service, "/v1/runs").status in (200, 503)
        time.sleep(0.05)
    statuses = [_get(service, path).status for _ in range(16) for path in NEEDS_DATABASE]
    assert set(statuses) == {200}
    points = log()
    deadline = time.monotonic() + 12
    while (shown := _points(service)) != points:
        assert time.monotonic() < deadline, f"{shown} of {points} points"
        time.sleep(0.1)
    assert _get(service, "/v1/views", method="POST", body=b'{"name": "x", "address": "/scalars"}').status == 200


def _points(service: RunningService) -> int:
    (run,) = service.json("/v1/runs")["runs"]
    (series,) = service.json(f"/v1/scalars?run={run['id']}&tag=loss&max_points=all")["series"]
    return len(series["values"])


@pytest.fixture
def log(tmp_path: Path) -> Callable[[], int]:
    """Appends ten points to the one log; returns how many it has."""
    path = tmp_path / "logs" / "a" / tensorboard.file_name(1.75e9, host="host")
    path.parent.mkdir(parents=True)
    written = 0

    def append() -> int:
        nonlocal written
        with path.open("ab") as file:
            for step in range(written, written + 10):
                point = tensorboard.scalar("loss", step / 3)
                file.write(tensorboard.frame(tensorboard.event([point], step=step, wall_time=1.75e9 + step)))
        written += 10
        return written

    append()
    return append


@pytest.fixture
def link(postgresql_server: PostgreSQLServer) -> Iterator[Link]:
    link = Link(int(postgresql_server.url.rpartition(":")[2].partition("/")[0]))
    yield link
    link.close()


@pytest.fixture
def served(
    service: Callable[..., RunningService], link: Link, log: Callable[[], int], tmp_path: Path
) -> RunningService:
    url = f"postgresql://tests@127.0.0.1:{link.port}/postgres"
    started = service(tmp_path / "logs", "--store-url", url, "--reload-interval", 1, "--workers", 2)
    deadline = time.monotonic() + 20
    while not started.json("/v1/runs")["runs"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    # Every thread has its connection.
    with ThreadPoolExecutor(32) as pool:
        list(pool.map(lambda _: started.json("/v1/runs"), range(200)))
    return started


def _no_trouble_in_logs(served: RunningService) -> None:
    for name in ("gunicorn/error.log", "loader.log"):
        assert "Traceback" not in (served.workspace / "log" / name).read_text(), name


def test_a_restarted_database_is_not_noticed(
    served: RunningService, postgresql_server: PostgreSQLServer, log: Callable[[], int]
) -> None:
    postgresql_server.stop()
    postgresql_server.start()

    assert {_get(served, path).status for _ in range(16) for path in NEEDS_DATABASE} == {200}
    _comes_back(served, log)
    _no_trouble_in_logs(served)


def test_a_stopped_database_is_said_to_be_away_and_comes_back(
    served: RunningService, postgresql_server: PostgreSQLServer, log: Callable[[], int]
) -> None:
    postgresql_server.stop()
    _statuses_while_away(served)
    time.sleep(3)
    _statuses_while_away(served)
    postgresql_server.start()

    _comes_back(served, log)
    _no_trouble_in_logs(served)


def test_a_database_that_falls_silent_holds_up_nothing_else(
    served: RunningService, link: Link, log: Callable[[], int]
) -> None:
    link.cut()
    _statuses_while_away(served)
    _statuses_while_away(served)
    link.mend()

    _comes_back(served, log)
    _no_trouble_in_logs(served)
