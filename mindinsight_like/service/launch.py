"""Start a service: run the preflight checks, start the supervisor, wait until the service answers."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil

from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import OperationError
from mindinsight_like.service import processes, state
from mindinsight_like.service.client import ask, web_address
from mindinsight_like.service.log_files import LogFiles
from mindinsight_like.service.parent_death import tied_to_parent
from mindinsight_like.service.state import ServiceState

_PATIENCE_SECONDS = 60.0
_LINES_SHOWN = 12


@dataclass(frozen=True)
class Service:
    """A service that answers."""

    settings: Settings  # with the token, should one have been made up
    answer: dict[str, Any]  # of GET /v1/service
    supervisor: subprocess.Popen[bytes] | None  # None: it was running before

    @property
    def address(self) -> str:
        return web_address(self.settings)


def launch(settings: Settings, *, foreground: bool = False) -> Service:
    """Start a service and return when it answers; the one that already serves the folder on this port is as good.

    In the foreground the supervisor ends with this process, otherwise it lives on in a session of its own.
    """
    with _turn(settings):
        running = _already_served(settings)
        if running is not None:
            return running
        _check_port(settings, settings.port)
        if settings.collector_port:
            _check_port(settings, settings.collector_port)
        if not settings.is_loopback and not (settings.token or settings.token_file):
            settings = replace(settings, token=secrets.token_urlsafe(18))
        return _start(settings, foreground=foreground)


@contextlib.contextmanager
def _turn(settings: Settings) -> Iterator[None]:
    """Two starts on one port at the same moment go one after the other."""
    try:
        lock = (settings.workspace / "run" / f"{settings.port}.lock").open("w")
    except OSError as error:
        raise OperationError(f"cannot write to workspace {settings.workspace}: {error.strerror}") from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _already_served(settings: Settings) -> Service | None:
    left = state.read(settings.workspace, settings.port)
    if left is not None and not processes.is_running(left):
        processes.end(left)  # what a killed supervisor may have left behind
        left.remove()
    state.forget_stale(settings.workspace)
    running = [each for each in processes.services(port=settings.port) if _share_address(each.settings, settings)]
    existing = running[0] if running else None
    if existing is None:
        # Another user may serve the folder on this port; without its token we cannot know.
        answer = ask(settings)
        projects = [{"name": each.name, "base_dir": str(each.path)} for each in settings.projects]
        if answer is not None and (answer.get("summary_base_dir"), answer.get("projects", [])[1:]) == (
            str(settings.summary_base_dir),
            projects,
        ):
            return Service(settings, answer, None)
        return None
    if existing.settings.served != settings.served:
        raise OperationError(
            f"port {settings.port} already serves {existing.settings.served} (to stop it: "
            f"app stop --port {settings.port})"
        )
    return Service(existing.settings, ask(existing.settings) or {}, None)


def _share_address(one: Settings, other: Settings) -> bool:
    """Whether two services on one port would be in each other's way."""
    return one.host == other.host or not {"0.0.0.0", "::"}.isdisjoint((one.host, other.host))


def _check_port(settings: Settings, port: int) -> None:
    """Raise unless we can listen there. Asking the system to try is the only test that knows all its rules."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the web server will do
            probe.bind(address)
            probe.listen(1)
    except socket.gaierror as error:
        raise OperationError(f"unknown host {settings.host}: {error.strerror}") from error
    except PermissionError as error:
        raise OperationError(f"no permission to listen on port {port}; use port 1024 or higher") from error
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise OperationError(f"port {port} is taken by {_listener(port)}") from error
        raise OperationError(f"cannot listen on {settings.address(port)}: {error.strerror}") from error


def _listener(port: int) -> str:
    """Who listens on the port, as far as this user may see."""
    with contextlib.suppress(psutil.Error, OSError):
        for connection in psutil.net_connections(kind="tcp"):
            listens_here = (
                connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port
            )
            if listens_here and connection.pid:
                process = psutil.Process(connection.pid)
                return f"{process.name()} (pid {process.pid}, user {process.username()})"
    return "another program"


def _start(settings: Settings, *, foreground: bool) -> Service:
    service_id = secrets.token_hex(16)
    log_files = LogFiles.of(settings.workspace)
    written_before = {path: path.stat().st_size if path.exists() else 0 for path in log_files.all()}
    try:
        supervisor = _spawn(settings, service_id, log_files, foreground=foreground)
    except OSError as error:
        raise OperationError(f"cannot start the service: {error.strerror or error}") from error
    created = time.time()
    with contextlib.suppress(psutil.Error):
        created = psutil.Process(supervisor.pid).create_time()
    service_state = ServiceState(service_id, supervisor.pid, created, settings, state.this_host())
    try:
        service_state.write()
        answer = _wait_for_answer(settings, supervisor)
    except BaseException as failure:
        processes.end(service_state)
        supervisor.wait()
        service_state.remove()
        if isinstance(failure, OperationError):
            log_tails = [_tail(path, written_before[path]) for path in (log_files.error, log_files.supervisor)]
            raise OperationError("\n".join([str(failure), *filter(None, log_tails)])) from failure
        if isinstance(failure, OSError):
            reason = failure.strerror or failure
            raise OperationError(f"cannot write to workspace {settings.workspace}: {reason}") from failure
        raise
    return Service(settings, answer, supervisor)


def _spawn(settings: Settings, service_id: str, log_files: LogFiles, *, foreground: bool) -> subprocess.Popen[bytes]:
    environ = {name: value for name, value in os.environ.items() if name != "GUNICORN_CMD_ARGS"}
    environ |= settings.environment()
    environ[processes.ID_VARIABLE] = service_id
    environ["SPT_NOENV"] = "1"  # setproctitle, which gunicorn uses where installed, would overwrite the environment
    with log_files.supervisor.open("ab") as sink:
        return subprocess.Popen(
            [sys.executable, "-m", processes.SUPERVISOR_MODULE, *processes.arguments(settings)],
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            cwd="/",
            start_new_session=not foreground,
            preexec_fn=tied_to_parent(own_group=True) if foreground else None,
        )


def _wait_for_answer(settings: Settings, supervisor: subprocess.Popen[bytes]) -> dict[str, Any]:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if supervisor.poll() is not None:
            raise OperationError("the service exited during startup; its log says:")
        answer = ask(settings)  # the port was free a moment ago, so it is ours
        if answer is not None:
            return answer
        time.sleep(0.05)
    raise OperationError(f"the service did not respond within {_PATIENCE_SECONDS:.0f} s; its log says:")


def _tail(path: Path, start: int) -> str:
    """The last lines written to a log since it had `start` bytes."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(start if start <= size else 0)
            lines = file.read()[-20_000:].decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    return "\n".join(lines[-_LINES_SHOWN:])
