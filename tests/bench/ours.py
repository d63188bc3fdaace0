"""Our own programs, as the bench runs them."""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from mindinsight_like.conf.settings import load
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import Loading

from .processes import Cost, cpu_seconds, finish, free_port, running, wait_for

_APP = Path(sys.executable).with_name("app")
_LONGEST_URL = 8000  # gunicorn's bound is 8190
_SETTLING_ROUNDS = 12  # a loader that finds its index up to date still looks at every folder once, to watch it


@dataclass(frozen=True)
class Restart:
    """A new process with an index that is up to date."""

    whole: Cost
    after_imports_cpu_seconds: float
    after_imports_wall_seconds: float


@dataclass(frozen=True)
class Idle:
    """A loader that has nothing to do."""

    cpu_seconds: float
    wall_seconds: float
    read_bytes_per_round: float
    interval_seconds: float


def load_cold(logs: Path, workspace: Path) -> Cost:
    """`app index` into a workspace that is still empty."""
    return finish([_APP, "index", "--summary-base-dir", logs, "--workspace", workspace]).cost


def restart(logs: Path, workspace: Path) -> Restart:
    """Look for news, find none, and answer from the index: a process of its own (see `warm_start`)."""
    done = finish([sys.executable, "-m", f"{__package__}.warm_start", logs, workspace])
    inside = json.loads(done.output)
    return Restart(done.cost, inside["cpu_seconds"], inside["wall_seconds"])


def idle(logs: Path, workspace: Path, scratch: Path, *, runs: int, rounds: int, options: dict[str, str]) -> Idle:
    """A following loader at the default interval, once it has loaded that many runs and verified their logs."""
    settings = load({"summary_base_dir": str(logs), "workspace": str(workspace), **options}, {})
    environment = {**os.environ, **settings.environment()}
    command = [sys.executable, "-m", "mindinsight_like.loader"]
    log = scratch / "loader.log"
    with running(command, environment=environment, log=log) as process:
        reader = IndexReader.open(settings.summary_base_dir, settings.workspace, settings.store_url)
        wait_for(lambda: _has_loaded(reader.service().loading, runs), process, log=log, every=0.5)
        wait_for(lambda: _has_verified(reader), process, log=log, every=1.0)
        time.sleep(_SETTLING_ROUNDS * settings.reload_interval)
        before, read_before, started = cpu_seconds(process), _read_bytes(process), time.perf_counter()
        time.sleep(rounds * settings.reload_interval)
        took = time.perf_counter() - started
        used, read = cpu_seconds(process) - before, _read_bytes(process) - read_before
    return Idle(used, took, read / rounds, settings.reload_interval)


@dataclass(frozen=True)
class Service:
    """A service of ours that answers."""

    address: str
    process: psutil.Popen

    def get(self, path: str, parameters: list[tuple[str, str]]) -> bytes:
        """The body of an answer; a request too long for a URL is posted."""
        query = urllib.parse.urlencode(parameters)
        url = f"{self.address}/v1/{path}"
        if len(url) + len(query) < _LONGEST_URL:
            request = urllib.request.Request(f"{url}?{query}")
        else:
            request = urllib.request.Request(url, _as_json(parameters), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as answer:
            content: bytes = answer.read()
            return content

    def json(self, path: str, parameters: list[tuple[str, str]] | None = None) -> Any:
        """The parsed answer."""
        return json.loads(self.get(path, parameters or []))

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The parsed answer to a request with a body."""
        content, kind = json.dumps(body).encode(), {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}/v1/{path}", content, kind)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)

    def runs(self) -> list[str]:
        """The ids of all runs."""
        return [run["id"] for run in self.json("runs")["runs"]]


@contextmanager
def answering(logs: Path, workspace: Path, scratch: Path) -> Iterator[Service]:
    """`app start`, as soon as it answers."""
    port = free_port()
    log = scratch / "service.log"
    command: list[str | Path] = [_APP, "start", "--foreground", "--port", str(port)]
    with running([*command, "--summary-base-dir", logs, "--workspace", workspace], log=log) as process:
        service = Service(f"http://127.0.0.1:{port}", process)
        wait_for(lambda: _answers(service), process, log=log, every=0.1)
        yield service


@contextmanager
def serving(logs: Path, workspace: Path, scratch: Path, *, runs: int) -> Iterator[Service]:
    """`app start`, once that many runs are loaded."""
    with answering(logs, workspace, scratch) as service:
        wait_for(lambda: _is_loaded(service, runs), service.process, log=scratch / "service.log", every=0.2)
        yield service


def _answers(service: Service) -> bool:
    try:
        service.json("service")
    except OSError:
        return False
    return True


def _is_loaded(service: Service, runs: int) -> bool:
    try:
        return _has_loaded(Loading(**service.json("service")["loading"]), runs)
    except OSError:
        return False


def _has_loaded(loading: Loading, runs: int) -> bool:
    return loading.state == "idle" and loading.runs_done == runs


def _has_verified(reader: IndexReader) -> bool:
    """Whether every log was compared with what was read of it, which happens once, seconds after it was read."""
    return not reader.connection.query("SELECT 1 FROM files WHERE NOT verified LIMIT 1")


def _read_bytes(process: psutil.Popen) -> int:
    """What the process has asked the system to read, from the page cache or not."""
    count: int = process.io_counters().read_chars
    return count


def _as_json(parameters: list[tuple[str, str]]) -> bytes:
    body: dict[str, Any] = {"run": [], "tag": []}
    for name, value in parameters:
        if name in body:
            body[name].append(value)
        else:
            body[name] = int(value) if value.isdigit() else value
    return json.dumps(body).encode()
