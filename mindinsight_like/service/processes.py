"""Find and end the processes of a service, identified by the id in their environment."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

import psutil

from mindinsight_like.conf.settings import Settings, SettingsError
from mindinsight_like.service.state import ServiceState, this_host

ID_VARIABLE = "MINDINSIGHT_SERVICE_ID"
SUPERVISOR_MODULE = "mindinsight_like.service"
_SUPERVISOR_PATIENCE_SECONDS = 8.0  # it needs at most half of that to end its children
_PATIENCE_SECONDS = 3.0


def services(*, port: int | None = None, workspace: Path | None = None) -> list[ServiceState]:
    """The services that this user runs on this machine, by port: those on a port, of a workspace, or all."""
    states = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError, SettingsError):
            # The arguments first: they are cheaper than the environment.
            if process.uids().real != os.getuid() or SUPERVISOR_MODULE not in process.cmdline():
                continue
            environ = process.environ()
            if ID_VARIABLE in environ and _is_alive(process):
                settings = Settings.from_environment(environ)
                states.append(
                    ServiceState(environ[ID_VARIABLE], process.pid, process.create_time(), settings, this_host())
                )
    return sorted(
        (
            state
            for state in states
            if port in (None, state.settings.port) and workspace in (None, state.settings.workspace)
        ),
        key=lambda state: (state.settings.port, state.settings.host),
    )


def arguments(settings: Settings) -> tuple[str, ...]:
    """What the command line of a service's process says, so that `ps` tells one service from another."""
    dirs = [word for served in settings.served_dirs for word in ("--summary-base-dir", served)]
    return "--port", str(settings.port), *dirs


def members(state: ServiceState) -> list[psutil.Process]:
    """All living processes of this user that belong to the service, the supervisor first if it is among them.

    Process numbers are reused, after a reboot at the latest. The random id is not, so a note left by a crash never
    points at a stranger.
    """
    matches = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.uids().real == os.getuid() and process.environ().get(ID_VARIABLE) == state.id:
                matches.append(process)
    return sorted(matches, key=lambda process: (not _is_supervisor(process, state), process.pid))


def is_running(state: ServiceState) -> bool:
    """The supervisor is alive; the other processes come and go with it."""
    try:
        process = psutil.Process(state.pid)
        return process.environ().get(ID_VARIABLE) == state.id and _is_supervisor(process, state) and _is_alive(process)
    except (psutil.Error, OSError):
        return False


def end(state: ServiceState) -> bool:
    """End every process of the service and return when they are gone; False when there was none.

    The supervisor is asked first, since it would restart what it misses. What stays after that is asked, then killed.
    """
    running = members(state)
    if not running:
        return False
    if _is_supervisor(running[0], state):
        _signal(running[:1], signal.SIGTERM)
        _wait(running, _SUPERVISOR_PATIENCE_SECONDS)
    rest = members(state)
    _signal(rest, signal.SIGTERM)
    _wait(rest, _PATIENCE_SECONDS)
    while rest := members(state):  # a dying parent may have started one more
        _signal(rest, signal.SIGKILL)
        _wait(rest, _PATIENCE_SECONDS)
    return True


def role(process: psutil.Process) -> str:
    """What the process does in the service: supervisor, loader, collector, projection or web."""
    with contextlib.suppress(psutil.Error):
        command = process.cmdline()
        if SUPERVISOR_MODULE in command:
            return "supervisor"
        if "mindinsight_like.loader" in command:
            return "loader"
        if "mindinsight_like.profiler.collector.endpoint" in command:
            return "collector"
        if "mindinsight_like.projections" in command:
            return "projection"
    return "web"


def _is_supervisor(process: psutil.Process, state: ServiceState) -> bool:
    return process.pid == state.pid and role(process) == "supervisor"


def _is_alive(process: psutil.Process) -> bool:
    """A zombie counts as gone: where nobody collects orphans, as in many containers, it stays for good."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _signal(processes: Iterable[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(psutil.Error):
            process.send_signal(number)


def _wait(processes: Iterable[psutil.Process], timeout_seconds: float) -> None:
    deadline = time.monotonic() + timeout_seconds
    while any(_is_alive(process) for process in processes) and time.monotonic() < deadline:
        time.sleep(0.02)
