"""Supervisor: keeps the web server, the loader and, if enabled, the collector endpoint running."""

from __future__ import annotations

import logging
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from mindinsight_like.service.log_files import LogFiles, rotate
from mindinsight_like.service.parent_death import tied_to_parent

log = logging.getLogger(__name__)

WEB = (sys.executable, "-m", "mindinsight_like.app")
LOADER = (sys.executable, "-m", "mindinsight_like.loader")
COLLECTOR = (sys.executable, "-m", "mindinsight_like.profiler.collector.endpoint")

_GRACE_SECONDS = 3.0  # from the request to end until the kill
_STEADY_SECONDS = 30.0  # one that lived this long starts with a clean record
_LONGEST_PAUSE_SECONDS = 60.0
_ROTATION_SECONDS = 10.0


class Child:
    """One child process with a process group of its own, so that its own children can be ended with it."""

    def __init__(self, name: str, command: Sequence[str], output: Path) -> None:
        self.name = name
        self.started_at = time.monotonic()
        with output.open("ab") as sink:
            # At the root folder: a checkout or module in the current one must not hide the installed package.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                cwd="/",
                preexec_fn=tied_to_parent(own_group=True),
            )
        log.info("started the %s, pid %d", name, self._process.pid)

    @property
    def has_ended(self) -> bool:
        """Looks without collecting the process: until `end`, its number cannot pass to another one."""
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return self._process.returncode is not None or os.waitid(os.P_PID, self._process.pid, options) is not None

    def ask_to_end(self) -> None:
        if not self.has_ended:
            self._process.terminate()

    def end(self, *, deadline: float = 0.0) -> int:
        """Wait until the deadline (monotonic), kill what is left of the group, and return the exit code."""
        while not self.has_ended and time.monotonic() < deadline:
            time.sleep(0.02)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        return self._process.wait()


@dataclass
class RestartBackoff:
    """How long to wait before a process is started again: nothing at first, twice as long with every quick death."""

    pause_seconds: float = 0.0

    def after(self, lived_seconds: float) -> float:
        if lived_seconds >= _STEADY_SECONDS:
            self.pause_seconds = 0.0
        pause = self.pause_seconds
        self.pause_seconds = min(max(1.0, 2 * pause), _LONGEST_PAUSE_SECONDS)
        return pause


class SupervisedProcess:
    """A process that is free to die: it is started again, after a pause."""

    def __init__(self, name: str, command: Sequence[str], output: Path) -> None:
        self._name = name
        self._command = command
        self._output = output
        self._backoff = RestartBackoff()
        self._start_at: float | None = time.monotonic()
        self.child: Child | None = None

    def look(self, now: float) -> float | None:
        """Start it if it is due; returns when it will be."""
        if self.child is not None and self.child.has_ended:
            pause = self._backoff.after(now - self.child.started_at)
            ended = _describe(self.child.end())
            log.warning("the %s exited (%s); restarting it in %.0f s", self._name, ended, pause)
            self._start_at = now + pause
            self.child = None
        if self._start_at is not None and now >= self._start_at:
            self.child = Child(self._name, self._command, self._output)
            self._start_at = None
        return self._start_at


class Supervisor:
    """Runs until it is told to stop or the web server ends; restarts the others, which are free to die."""

    def __init__(
        self,
        log_files: LogFiles,
        *,
        web: Sequence[str] = WEB,
        loader: Sequence[str] = LOADER,
        collector: Sequence[str] = (),
        on_round: Callable[[], None] | None = None,
    ) -> None:
        """`on_round` is called every few seconds; what it raises as OSError does no harm."""
        self._log_files = log_files
        self._web_command = web
        self._specs = [("loader", loader, log_files.loader)]
        if collector:
            self._specs.append(("collector", collector, log_files.collector))
        self._on_round = on_round
        self._is_stopping = False
        self._wake, self._waker = os.pipe()

    def run(self) -> int:
        """0 after a request to stop, 1 when the web server ended by itself."""
        self._listen_to_signals()
        web = Child("web server", self._web_command, self._log_files.error)
        others = [SupervisedProcess(*spec) for spec in self._specs]
        rotate_at = 0.0
        while not self._is_stopping and not web.has_ended:
            now = time.monotonic()
            due = [process.look(now) for process in others]
            if now >= rotate_at:
                self._rotate()
                if self._on_round is not None:
                    with suppress(OSError):
                        self._on_round()
                rotate_at = now + _ROTATION_SECONDS
            wake_at = min([rotate_at, *(moment for moment in due if moment is not None)])
            self._sleep(max(0.0, wake_at - time.monotonic()))
        return self._end([web, *(process.child for process in others if process.child is not None)])

    def _end(self, children: list[Child]) -> int:
        """Of the children, the web server is the first."""
        is_asked = self._is_stopping
        for child in children:
            child.ask_to_end()
        deadline = time.monotonic() + _GRACE_SECONDS
        codes = [child.end(deadline=deadline) for child in children]
        if is_asked:
            log.info("stopped")
            return 0
        log.error("the web server exited (%s); stopping the service", _describe(codes[0]))
        return 1

    def _rotate(self) -> None:
        for path in self._log_files.all():
            try:
                rotate(path)
            except OSError as error:
                log.warning("cannot rotate %s: %s", path, error)

    def _listen_to_signals(self) -> None:
        os.set_blocking(self._wake, False)
        os.set_blocking(self._waker, False)
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)  # only wakes the loop
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._stop)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._is_stopping = True

    def _sleep(self, seconds: float) -> None:
        """Until the time is over or a signal arrives."""
        select.select([self._wake], [], [], seconds)
        with suppress(BlockingIOError):
            os.read(self._wake, 4096)


def _describe(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
