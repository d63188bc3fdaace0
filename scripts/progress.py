"""How far loading is, for the person waiting: a bar on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from mindinsight_like.store.progress import Progress

_BAR_WIDTH = 30
_BAR_SECONDS = 0.1
_LINE_SECONDS = 5.0
_MEGABYTE = 1_000_000


class ProgressDisplay:
    """Called by the loader as often as it likes; writes seldom.

    It tells of folders: whether one is a run of its own or holds a curve of another is known when it has been read.
    """

    def __init__(self, out: TextIO | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out or sys.stdout
        self._clock = clock
        self._is_terminal = self._out.isatty()
        self._pause = _BAR_SECONDS if self._is_terminal else _LINE_SECONDS
        self._started_at = clock()
        self._written_at = self._started_at
        self._last: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        self._last = progress
        now = self._clock()
        if now - self._written_at >= self._pause:
            self._written_at = now
            self._write(progress)

    def finish(self) -> None:
        """The last word: what has been loaded, in how long."""
        took = self._clock() - self._started_at
        start = "\r\x1b[K" if self._is_terminal else ""
        if self._last is None:
            print(f"{start}Nothing new to load", file=self._out)
        else:
            done, megabytes = self._last.runs_done, self._last.bytes_done / _MEGABYTE
            folders = f"{done} folder" if done == 1 else f"{done} folders"
            print(f"{start}Loaded {folders}, {megabytes:.1f} MB in {took:.1f} s", file=self._out)

    def _write(self, progress: Progress) -> None:
        share = min(1.0, progress.bytes_done / progress.bytes_total) if progress.bytes_total else 0.0
        numbers = (
            f"{share:4.0%}  {progress.runs_done}/{progress.runs_total} folders  "
            f"{progress.bytes_done / _MEGABYTE:.1f}/{progress.bytes_total / _MEGABYTE:.1f} MB"
        )
        if self._is_terminal:
            filled = round(share * _BAR_WIDTH)
            self._out.write(f"\r\x1b[K[{'#' * filled}{'.' * (_BAR_WIDTH - filled)}] {numbers}")
        else:
            self._out.write(f"{numbers}\n")
        self._out.flush()
