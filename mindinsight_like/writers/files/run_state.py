"""State of a run in a small file beside its logs: when it began, that its process lives, and how it ended.

There is one file for each process that writes into a folder. It is overwritten in place with one call, so that a
killed process leaves a whole one. Readers of logs do not look at its name.
"""

from __future__ import annotations

import json
import operator
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

FORMAT = "mindinsight-like run state"
VERSION = 1
NAME = "mindinsight_like.state."  # then the time, the process, .json
HEARTBEAT_SECONDS = 30.0

_MOST_REASON = 1000  # characters
# Ways of ending a loop, which say nothing of the training.
_HARMLESS = (StopIteration, StopAsyncIteration, GeneratorExit)


class RunState:
    """The state of one folder as this process knows it; trouble with the disk is nobody's business."""

    def __init__(self, folder: Path, *, name: str = "", **about: Any) -> None:
        self.path = folder / f"{NAME}{name or f'{time.time_ns()}.{os.getpid()}'}.json"
        self._size = 0
        self._writers = 0
        self._content: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "state": "running",
            "started": time.time(),
            "heartbeat": time.time(),
            "host": socket.gethostname(),
            "process": os.getpid(),
            **about,
        }

    @property
    def is_open(self) -> bool:
        return self._writers > 0

    def open(self, total_steps: int | None) -> None:
        """Count one writer more; the first one makes the file."""
        self._writers += 1
        if self._writers == 1:
            self._set("running", ended=None, reason=None, exit_code=None)
        if total_steps is not None:
            self.set_total_steps(total_steps)
        elif self._writers == 1:
            self._write()

    def set_total_steps(self, total_steps: int) -> None:
        self._content["total_steps"] = total_steps
        self._write()

    def close(self, error: BaseException | None) -> None:
        """Count one writer less; the last one ends the run, a failed one says so for all."""
        self._writers -= 1
        state, reason, code = _outcome(error)
        if state == "failed" and self._content["state"] != "failed":
            self._set(state, reason=reason, exit_code=code)
        if not self._writers:
            is_failed = self._content["state"] == "failed"
            self._set("failed" if is_failed else "finished", ended=time.time())
            self._write()

    def end(self, error: BaseException | None) -> None:
        """End the run with its process, whatever writers are still open."""
        if self._writers:
            self._writers = 1
            self.close(error)

    def conclude(self, failure: str) -> None:
        """End the run as somebody else has learned; without a failure it is finished."""
        self._writers = 0
        reason = failure[:_MOST_REASON] or None
        self._set("failed" if failure else "finished", reason=reason, ended=time.time())
        self._write()

    def beat(self) -> None:
        self._write()

    def _set(self, state: str, **values: object) -> None:
        self._content |= {"state": state} | values
        self._content = {name: value for name, value in self._content.items() if value is not None}

    def _write(self) -> None:
        """Overwrite the file; one that somebody has removed is not made again by a heartbeat."""
        self._content["heartbeat"] = time.time()
        text = json.dumps({name: _rounded(value) for name, value in self._content.items()}).encode()
        flags = os.O_WRONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
        with suppress(OSError):
            handle = os.open(self.path, flags | (0 if self._size else os.O_CREAT), 0o666)
            try:
                # Blanks instead of a cut: nobody ever reads half of it.
                size = max(self._size, os.fstat(handle).st_size)
                os.write(handle, text.ljust(size - 1) + b"\n")
            finally:
                os.close(handle)
            self._size = max(size, len(text) + 1)


class RunStates:
    """The states of all folders that this process writes logs into."""

    def __init__(self) -> None:
        self._is_watching = False
        self._start_over()

    def _start_over(self) -> None:
        self._states: dict[str, RunState] = {}
        self._lock = threading.RLock()  # a signal handler may open or close a writer
        self._next_beat = 0.0
        self._end: BaseException | None = None  # what ends this process

    def open(self, folder: Path, total_steps: int | None = None) -> RunState:
        """The state of a folder, with one writer more."""
        with self._lock:
            self.watch_end()
            self._end = None  # if it was an end, somebody caught it
            key = os.path.realpath(folder)
            state = self._states.get(key)
            if state is None:
                state = self._states[key] = RunState(Path(key))
            state.open(total_steps)
            return state

    def close(self, state: RunState, error: BaseException | None) -> None:
        """Take a writer away that ends normally or, perhaps, as an error passes."""
        with self._lock:
            if state in self._states.values():  # else it is the parent process's
                state.close(error or self._end)

    def set_total_steps(self, state: RunState, total_steps: int) -> None:
        with self._lock:
            if state in self._states.values():
                state.set_total_steps(total_steps)

    def watch_end(self) -> None:
        """Learn from now on what ends the process."""
        with self._lock:
            if not self._is_watching:
                self._is_watching = True
                self._watch_end()

    def failure(self) -> str:
        """Why the process ends, as far as that is known by now; empty if it does not, or normally."""
        return _outcome(self._end or sys.exc_info()[1])[1] or ""

    def seconds_to_beat(self) -> float | None:
        """When the next heartbeat is due; None: there is nothing that lives."""
        if not any(state.is_open for state in list(self._states.values())):
            return None
        return max(0.0, self._next_beat - time.monotonic())

    def beat(self) -> None:
        """Give signs of life, when it is time."""
        if time.monotonic() < self._next_beat:
            return
        with self._lock:
            self._next_beat = time.monotonic() + HEARTBEAT_SECONDS
            for state in self._states.values():
                if state.is_open:
                    state.beat()

    def end_process(self) -> None:
        """End what is still open; called as the process ends."""
        with self._lock:
            # A process of multiprocessing ends inside of the error that ends it.
            error = self._end or sys.exc_info()[1]
            for state in self._states.values():
                state.end(error)

    def restart_after_fork(self) -> None:
        """Leave everything to the parent process."""
        self._start_over()

    def _watch_end(self) -> None:
        """Learn of what ends the process, which nobody is told once it has come to that."""
        show, leave = sys.excepthook, sys.exit

        def note_and_show(kind: type[BaseException], error: BaseException, trace: Any) -> None:
            self._end = error
            show(kind, error, trace)

        def note_and_leave(status: Any = None, /) -> None:
            self._end = SystemExit(status)
            leave(status)

        sys.excepthook = note_and_show
        replaced: Callable[..., Any] = note_and_leave
        sys.exit = replaced


def checked_total(total_steps: object) -> int | None:
    """The number of steps of a run, as users say it; raises TypeError and ValueError."""
    if total_steps is None:
        return None
    total = operator.index(total_steps)  # type: ignore[arg-type] # it raises TypeError
    if total <= 0:
        raise ValueError(f"total_steps: expected an integer above 0, not {total}")
    return total


def _outcome(error: BaseException | None) -> tuple[str, str | None, int | None]:
    """State, reason and exit code of what was written as an error passed."""
    if error is None or isinstance(error, _HARMLESS):
        return "finished", None, None
    if isinstance(error, SystemExit):
        if error.code is None or error.code == 0:
            return "finished", None, None
        is_number = isinstance(error.code, int)
        reason = f"exit code {error.code}" if is_number else str(error.code)
        return "failed", reason[:_MOST_REASON], error.code if isinstance(error.code, int) else 1
    message = ""
    with suppress(Exception):
        message = " ".join(str(error).split())
    kind = type(error).__qualname__
    return "failed", (f"{kind}: {message}" if message else kind)[:_MOST_REASON], None


def _rounded(value: object) -> object:
    return round(value, 3) if isinstance(value, float) else value


run_states = RunStates()
