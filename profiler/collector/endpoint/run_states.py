"""Run states of trainings that collectors tell of: small files in their runs, as writers keep them."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Any

from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.profiler.collector.endpoint.permissions import share_file
from mindinsight_like.profiler.collector.endpoint.places import NoPlace, base_of, folder_of, safe_path
from mindinsight_like.writers.files.run_state import HEARTBEAT_SECONDS, RunState

_LONGEST_SENDER = 64


class TrainingState:
    """The state of one training, whose end is told more than once."""

    def __init__(self) -> None:
        self._file: RunState | None = None
        self._next_beat = 0.0
        self._end: tuple[bool, str] = (False, "")

    def note(self, hello: Any, state: Any, dirs: BaseDirs) -> None:
        """Write down what a collector says, at most every half a minute while nothing changes."""
        if not state.began > 0:
            return
        end = (bool(state.has_ended), state.failure)
        if self._file is not None and end == self._end and (end[0] or time.monotonic() < self._next_beat):
            return
        self._next_beat = time.monotonic() + HEARTBEAT_SECONDS
        with suppress(OSError, NoPlace):
            if self._file is None:
                self._file = _opened(hello, state.began, dirs)
            if end[0]:
                self._file.conclude(end[1])
            else:
                self._file.beat()
            self._end = end


def _opened(hello: Any, began: float, dirs: BaseDirs) -> RunState:
    folder = folder_of(*base_of(dirs, hello.run))
    sender = safe_path(hello.sender[:_LONGEST_SENDER]).replace("/", "_")
    about = {"host": hello.host[:200], "process": hello.process, "started": began}
    # By its beginning: a collector that connects again goes on in the same file.
    file = RunState(folder, name=f"{int(began * 1e9)}.{sender}", **about)
    file.open(None)
    handle = os.open(file.path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        share_file(handle, folder)
    finally:
        os.close(handle)
    return file
