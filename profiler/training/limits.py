"""Limits of a recording: ends it after a maximum time, or before it exhausts the memory."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_LOOK_SECONDS: Final = 0.25
_GRACE_SECONDS: Final = 2.0  # for the step in which a limit is reached
_STEADY_STEPS: Final = 2  # after which a training has the memory that it needs
_TO_END: Final = 2.5  # times what a recording has taken is needed to write it; torch needs 1.9
_SPARE_SHARE: Final = 0.05
_MOST_SPARE: Final = 1 << 30
_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_CGROUPS: Final = (  # limit, use, and the name in memory.stat of what can be given back
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "inactive_file"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "total_inactive_file",
    ),
)


@dataclass(frozen=True)
class Limits:
    """Where a recording ends by itself; None: nowhere."""

    seconds: float | None = 60.0
    memory: int | None = 512 << 20  # bytes by which the process grows after its second step
    bytes: int | None = 1 << 30  # of a trace file of our own

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not value > 0:
                raise ValueError(f"limit_{name} must be a number above 0 or None, not {value!r}")


class Watch:
    """Looks after one recording from a thread of its own.

    Reaching a limit is told by `reason`, for the training to end the recording with its step. Should no step end soon,
    `end` is called in the main thread, between two of its instructions: profilers of frameworks can be ended only by
    the thread that began them. The machine's memory is looked after even without limits.
    """

    def __init__(self, limits: Limits, end: Callable[[], None]) -> None:
        self.reason = ""
        self._limits = limits
        self._end = end
        self._began = time.monotonic()
        self._steps = 0
        self._base = resident()
        self._is_over = threading.Event()
        self._is_main = threading.current_thread() is threading.main_thread()
        self._call = _PENDING(self._called)
        threading.Thread(target=self._run, name="limits of the profiler", daemon=True).start()

    def step(self) -> None:
        """A step has ended."""
        self._steps += 1
        if self._steps == _STEADY_STEPS:
            self._base = resident()  # networks and optimizers take their memory by then

    def close(self) -> None:
        """The recording has ended."""
        self._is_over.set()

    def _run(self) -> None:
        while not self.reason:
            if self._is_over.wait(_LOOK_SECONDS):
                return
            self.reason = self._reached()
        # In a thread of the user's, only its own steps can end the recording.
        if not self._is_over.wait(_GRACE_SECONDS) and self._is_main:
            ctypes.pythonapi.Py_AddPendingCall(self._call, None)

    def _called(self, _: int | None) -> int:
        if not self._is_over.is_set():
            self._end()
        return 0

    def _reached(self) -> str:
        limits = self._limits
        if limits.seconds is not None and time.monotonic() - self._began > limits.seconds:
            return f"after {limits.seconds:g} s (limit_seconds)"
        grown = max(0, resident() - self._base)
        is_steady = self._steps >= _STEADY_STEPS  # before, it grows by what it is to train
        if limits.memory is not None and is_steady and grown > limits.memory:
            return f"when the process had grown by {grown >> 20:,} MB (limit_memory)"
        room, whole = available()
        spare = min(_SPARE_SHARE * whole, _MOST_SPARE) + _TO_END * min(grown, limits.memory or grown)
        return f"with {room >> 20:,} MB of memory left on the machine" if whole and room < spare else ""


_PENDING = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


def resident() -> int:
    """Bytes of memory that this process has; 0 where that cannot be told."""
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


def available() -> tuple[int, int]:
    """Bytes of memory that can still be had, and those there are, on this machine or in this container; or 0."""
    room = whole = 0
    try:
        meminfo = dict(line.split(b":") for line in Path("/proc/meminfo").read_bytes().splitlines())
        room, whole = (int(meminfo[key].split()[0]) << 10 for key in (b"MemAvailable", b"MemTotal"))
    except (OSError, ValueError, KeyError, IndexError):
        return 0, 0
    for limit, use, spared in _CGROUPS:
        try:
            most = int(Path(limit).read_bytes())
            used = int(Path(use).read_bytes())
            lines = Path(limit).with_name("memory.stat").read_text().splitlines()
        except (OSError, ValueError):  # there is none, or it says "max"
            continue
        if 0 < most < whole:
            spare = sum(int(line.split()[1]) for line in lines if line.split()[:1] == [spared])
            return min(room, most - used + spare), most
    return room, whole
