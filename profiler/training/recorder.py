"""Recorder of operations marked by hand; writes a trace file in the background."""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from mindinsight_like.logs.framing import frame
from mindinsight_like.profiler.process.identity import Process
from mindinsight_like.profiler.process.warnings import harmless, tell
from mindinsight_like.profiler.traces import own_format as form
from mindinsight_like.profiler.traces.activities import activity_of
from mindinsight_like.profiler.training.reference.slices import Operator
from mindinsight_like.profiler.training.slices import Rows, Target
from mindinsight_like.writers.files.limited_file import LimitedFile

_FLUSH_NS: Final = 1_000_000_000
_MOST_WAITING: Final = 1024  # steps, and values of a counter, that wait to be written
_HOST: Final = 0  # Place.HOST

Listener = Callable[[bytes], None]


class Recorder(Target):
    """Slices, steps and counters of this process, written below a folder; nothing is written for nothing recorded.

    Files are called by `name`, else by the process and the time. `listeners` are asked for again and again: each gets
    the content of every block, in the thread that writes, and what it needs of earlier ones first. `limit_bytes` keeps
    a recording that nobody ends from filling the disk.
    """

    def __init__(
        self,
        folder: Path,
        process: Process,
        *,
        facts: dict[str, Any],
        name: str = "",
        listeners: Callable[[], tuple[Listener, ...]] = tuple,
        limit_bytes: int | None = None,
        is_helper: bool = False,
    ) -> None:
        super().__init__()
        self._process = process
        self._facts = facts
        self._listeners = listeners
        self._clock, self._origin = time.perf_counter_ns(), time.time_ns()
        self._lock = threading.RLock()
        self._is_helper = is_helper
        self.name = name or f"{process.worker}.{self._origin}"
        self._file = LimitedFile(
            folder / f"{self.name}{form.ENDING}",
            suffix=form.ENDING,
            frame=frame,
            opening=self._opening,
            limit=limit_bytes,
            on_full=self._tell_full,
        )
        self._threads: list[tuple[Rows, threading.Thread]] = []
        self._tracks: list[list[object]] = []
        self._operators: list[list[object]] = []
        self._counters: dict[tuple[str, str], int] = {}
        self._counted: dict[int, tuple[list[int], list[float]]] = {}  # times and values
        self._has_content = False
        self._has_ended = False
        self._definitions: list[bytes] = []  # blocks of them, for who begins to listen later
        self._joined: list[Listener] = []
        self._written = (0, 0, 0)  # definitions of tracks, operators and counters that are in the file
        self._steps: list[tuple[int, int, int, int, int]] = []
        self._step_began = self._clock
        self.due = self._clock + _FLUSH_NS
        _alive.add(self)

    @property
    def path(self) -> Path:
        """Where it is written; there is a file once something is recorded."""
        return self._file.path

    @property
    def has_slices(self) -> bool:
        """Whether any was recorded so far."""
        return bool(self._operators)

    def begin(self) -> None:
        """The first step begins now."""
        self._step_began = time.perf_counter_ns()

    def step(self, number: int) -> None:
        """The step of this number ends now, and the next begins."""
        now = time.perf_counter_ns()
        with self._lock:
            self._steps.append((number, self._step_began, now, form.UNKNOWN, form.UNKNOWN))
        self._step_began = now
        if now > self.due or len(self._steps) > _MOST_WAITING:
            self.flush()

    def count(self, name: str, value: float, unit: str) -> None:
        """A counter has this value now."""
        now = time.perf_counter_ns()
        with self._lock:
            if self._has_ended:
                return
            number = self._counters.setdefault((name, unit), len(self._counters))
            times, values = self._counted.setdefault(number, ([], []))
            times.append(now)
            values.append(value)
            if now > self.due or len(times) > _MOST_WAITING:
                self.flush()

    def flush(self) -> None:
        """Hand all that is recorded to the thread that writes."""
        mine = threading.get_ident()
        with self._lock:
            if self._has_ended:
                return  # a thread was still in the middle of an operation
            self.due = time.perf_counter_ns() + _FLUSH_NS
            self._define()
            for rows, thread in self._threads:
                if recorded := rows.take(thread.ident == mine):
                    self._put(form.slices_of_rows, rows.track, recorded)
            if self._steps:
                self._put(form.steps, self._steps)
                self._steps = []
            for number, (times, values) in self._counted.items():
                self._put(form.counter, number, times, values)
            self._counted = {}
            if len(self._threads) > len(self._tracks):
                self._threads = [(rows, thread) for rows, thread in self._threads if thread.is_alive()]

    def write(self) -> None:
        """Return when all that is recorded has been handed to the operating system."""
        self.flush()
        self._file.flush()

    def close(self, facts: dict[str, Any] | None = None) -> None:
        """End the recording, of which this is known now; returns when it is on its way to the disk."""
        self.is_closed = True
        _alive.discard(self)
        with self._lock:
            self.flush()
            self._has_ended = True
            if self._has_content or facts:
                self._put(form.done, {"is_complete": True, **(facts or {})})
        self._file.close()

    # --- for `Target` -----------------------------------------------------------------------------------------------

    def define(self, operator: Operator) -> int:
        name, kind, shape = map(str, operator)
        with self._lock:
            self._operators.append([name, kind or name, int(activity_of(kind)), shape])
            return len(self._operators) - 1

    def new_rows(self) -> Rows:
        thread = threading.current_thread()
        if not self._threads and "multiprocessing.util" in sys.modules:
            _write_at_end(self)
        with self._lock:
            rows = Rows(self._track(thread.name))
            self._threads.append((rows, thread))
            return rows

    def _track(self, name: str) -> int:
        """The number of a thread's track: that of an ended thread of this name, or a new one."""
        busy = {rows.track for rows, thread in self._threads if thread.is_alive()}
        for number, track in enumerate(self._tracks):
            if track[0] == name and number not in busy:
                return number
        self._tracks.append([name, f"process {os.getpid()}", _HOST, len(self._tracks), form.UNKNOWN])
        return len(self._tracks) - 1

    # --- writing ----------------------------------------------------------------------------------------------------

    def _define(self) -> None:
        """Put what has been defined since the last time before what needs it."""
        tracks, operators, counters = self._written
        now = (len(self._tracks), len(self._operators), len(self._counters))
        if now == self._written:
            return
        self._put(
            form.definitions,
            {
                "tracks": (tracks, self._tracks[tracks : now[0]]),
                "operators": (operators, self._operators[operators : now[1]]),
                "counters": (counters, list(self._counters)[counters : now[2]]),
            },
        )
        self._written = now

    def _put(self, make: Callable[..., bytes], *content: object) -> None:
        self._has_content = True
        self._file.put(self._made, make, *content)

    def _made(self, make: Callable[..., bytes], *content: object) -> bytes:
        block = make(*content)
        for listener in self._listeners():
            if listener not in self._joined:
                self._joined.append(listener)
                for earlier in (self._opening(0.0), *self._definitions):
                    _tell(listener, earlier)
            _tell(listener, block)
        if make is form.definitions:
            self._definitions.append(block)
        return block

    def _opening(self, wall_time: float) -> bytes:
        return form.header(
            origin=self._origin,
            clock=self._clock,
            host=self._process.host,
            process=os.getpid(),
            rank=self._process.rank,
            ranks=self._process.ranks,
            device="CPU",
            facts=self._facts,
            is_helper=self._is_helper,
        )

    def _tell_full(self) -> None:
        tell(
            f"{self._file.path.name} has reached its limit of bytes (limit_bytes): what is recorded by hand from now "
            "on is not kept. Record a few steps with a schedule, or begin a new recording with stop() and start()."
        )

    def _end_in_fork(self) -> None:
        """A forked process is no part of this recording; what it does is recorded by a `Follower`."""
        self._lock = threading.RLock()
        self.is_closed = self._has_ended = True


_alive: weakref.WeakSet[Recorder] = weakref.WeakSet()


def _tell(listener: Listener, block: bytes) -> None:
    with harmless("a listener of the profiler failed"):
        listener(block)


def _end_in_forks() -> None:
    for recorder in list(_alive):
        recorder._end_in_fork()
    _alive.clear()


def _write_at_end(recorder: Recorder) -> None:
    """Have multiprocessing's processes, which leave without atexit, write what is recorded."""
    from multiprocessing import process, util

    if process.parent_process() is not None:
        util.Finalize(recorder, recorder.write, exitpriority=10)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_end_in_forks)
