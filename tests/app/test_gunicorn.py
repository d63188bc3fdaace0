"""The application under gunicorn, as the service runs it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mindinsight_like.conf.settings import load
from mindinsight_like.loader.once import load_once
from mindinsight_like.writers.encoding import tensorboard

TOKEN = "correct-horse-battery"


class Server:
    def __init__(self, port: int, workspace: Path) -> None:
        self.port = port
        self.address = f"http://127.0.0.1:{port}/board"
        self.logs = workspace / "log" / "gunicorn"

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        asked = urllib.request.Request(self.address + path, headers={"Authorization": f"Bearer {TOKEN}"} | headers)
        try:
            with urllib.request.urlopen(asked, timeout=10) as answer:
                return answer.status, dict(answer.headers), answer.read()
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read()

    def logged(self, name: str, text: str) -> str:
        """The log once it holds the text: gunicorn writes it after the answer is out."""
        deadline = time.monotonic() + 5
        while text not in (written := (self.logs / name).read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return written


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    tmp_path = tmp_path_factory.mktemp("gunicorn")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free_port = probe.getsockname()[1]
    folder = tmp_path / "logs" / "a"
    folder.mkdir(parents=True)
    event = tensorboard.event([tensorboard.scalar("loss", 0.5)], step=1, wall_time=1.75e9)
    (folder / tensorboard.file_name(1.75e9, host="host")).write_bytes(tensorboard.frame(event))
    flags = {"workspace": tmp_path / "workspace", "summary_base_dir": folder.parent, "port": free_port}
    flags |= {"token": TOKEN, "url_path_prefix": "/board", "workers": 2}
    settings = load({name: str(value) for name, value in flags.items()}, {})
    load_once(settings)
    process = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "-c", "python:mindinsight_like.app.gunicorn"],
        env=os.environ | settings.environment(),
        cwd=tmp_path,
    )
    server = Server(free_port, settings.workspace)
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                server.get("/v1/service")
                break
            except OSError:
                assert process.poll() is None, "gunicorn ended"
                assert time.monotonic() < deadline, "gunicorn does not answer"
                time.sleep(0.05)
        yield server
    finally:
        process.terminate()
        process.wait(timeout=10)


def test_every_worker_reads_the_index(server):
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: server.get("/v1/runs"), range(40)))

    assert {status for status, _, _ in answers} == {200}
    assert {json.loads(body)["runs"][0]["name"] for _, _, body in answers} == {"a"}
    assert len({json.loads(server.get("/v1/service")[2])["started_at"] for _ in range(10)}) == 1


def test_the_server_does_not_say_what_it_is_made_of(server):
    _, headers, _ = server.get("/v1/service")

    assert headers["Server"] == "mindinsight-like"


def test_host_and_token_are_checked_there_too(server):
    assert server.get("/v1/service", Host="evil.example")[0] == 403
    assert server.get("/v1/service", Authorization="Bearer wrong")[0] == 401


def test_requests_are_logged_with_their_duration_and_without_the_token(server):
    server.get(f"/v1/runs?search=needle&token={TOKEN}", Authorization="")

    log = server.logged("access.log", "needle")

    (line,) = (line for line in log.splitlines() if "token=" in line)
    assert "GET /board/v1/runs?search=needle&token=... HTTP/1.1" in line
    assert line.endswith(" us")
    assert TOKEN not in log
    assert "Booting worker" in server.logged("error.log", "Booting worker")


@pytest.mark.parametrize(
    "parameter",
    [
        "%74oken=",
        "t%6Fken=",
        "%74%6f%6b%65%6e=",
        "Token=",
        "token%3D",
        "sort=name;token=",
        "next=%2Fboard%2F%3Ftoken%3D",
        "next=%252Fboard%252F%253F%2574oken%253D",
    ],
)
def test_a_token_is_not_logged_however_its_parameter_is_written(server, parameter):
    needle = f"needle{len(parameter)}"
    server.get(f"/v1/runs?search={needle}&{parameter}{TOKEN}", Authorization="")

    assert TOKEN not in server.logged("access.log", needle)


def test_requests_that_are_not_understood_are_logged_without_the_token(server):
    for line in (
        f"GET /board/?token={TOKEN} HTTP/9.9",
        f"GET /board/?%74oken={TOKEN} nonsense here",
        f"G?token={TOKEN}",
    ):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(f"{line}\r\nHost: localhost\r\n\r\n".encode())
            connection.recv(1000)

    time.sleep(0.3)
    assert TOKEN not in "".join(path.read_text() for path in server.logs.iterdir())


def test_logging_goes_on_in_a_new_file_after_rotation(server):
    server.get("/v1/service")
    (server.logs / "access.log").rename(server.logs / "access.log.1")

    server.get("/v1/changes")
    deadline = time.monotonic() + 5
    while not (server.logs / "access.log").exists() and time.monotonic() < deadline:
        time.sleep(0.05)

    assert "/v1/changes" in server.logged("access.log", "/v1/changes")


def test_a_request_too_long_for_an_address_is_refused_and_fits_into_a_body(server):
    run = json.loads(server.get("/v1/runs")[2])["runs"][0]["id"]
    tags = ["loss", *(f"{number:0100}" for number in range(200))]

    status, _, _ = server.get("/v1/scalars?run=" + run + "".join(f"&tag={tag}" for tag in tags))
    asked = urllib.request.Request(
        server.address + "/v1/scalars",
        data=json.dumps({"run": run, "tag": tags}).encode(),
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(asked, timeout=10) as answer:
        (series,) = json.load(answer)["series"]

    assert status in (400, 414)
    assert series["values"] == [0.5]
