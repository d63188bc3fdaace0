"""Progress of a command: a bar on a terminal, occasional lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from mindinsight_like.export.exporting import Exported, ExportProgress
    from mindinsight_like.store.progress import Progress

_BAR_WIDTH = 30
_BAR_SECONDS = 0.1
_LINE_SECONDS = 5.0
_MEGABYTE = 1_000_000


class _Bar:
    """May be told as often as one likes; writes seldom."""

    def __init__(self, out: TextIO | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._out = out or sys.stdout
        self._clock = clock
        self._is_terminal = self._out.isatty()
        self._pause = _BAR_SECONDS if self._is_terminal else _LINE_SECONDS
        self._started_at = clock()
        self._written_at = self._started_at

    def _show(self, share: float, numbers: str) -> None:
        now = self._clock()
        if now - self._written_at < self._pause:
            return
        self._written_at = now
        numbers = f"{share:4.0%}  {numbers}"
        if self._is_terminal:
            filled = round(share * _BAR_WIDTH)
            self._out.write(f"\r\x1b[K[{'#' * filled}{'.' * (_BAR_WIDTH - filled)}] {numbers}")
        else:
            self._out.write(f"{numbers}\n")
        self._out.flush()

    def _seconds(self) -> float:
        return self._clock() - self._started_at

    def wipe(self) -> None:
        """Take the bar away, with no last word."""
        if self._is_terminal:
            self._out.write("\r\x1b[K")

    def _end(self, line: str) -> None:
        """Put the last word in the bar's place."""
        print(f"\r\x1b[K{line}" if self._is_terminal else line, file=self._out)


class ProgressDisplay(_Bar):
    """Of loading. It tells of folders: whether one is a run of its own or holds a curve of another is known when it
    has been read."""

    _last: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        self._last = progress
        self._show(
            _share(progress.bytes_done, progress.bytes_total),
            f"{progress.runs_done}/{progress.runs_total} folders  "
            f"{progress.bytes_done / _MEGABYTE:.1f}/{progress.bytes_total / _MEGABYTE:.1f} MB",
        )

    def finish(self) -> None:
        """The last word: what has been loaded, in how long."""
        took = self._seconds()
        if self._last is None:
            self._end("Nothing new to load")
            return
        done, megabytes = self._last.runs_done, self._last.bytes_done / _MEGABYTE
        self._end(f"Loaded {_counted(done, 'folder')}, {megabytes:.1f} MB in {took:.1f} s")


class ExportDisplay(_Bar):
    def __call__(self, progress: ExportProgress) -> None:
        self._show(
            _share(progress.values_done, progress.values_total),
            f"{progress.tags_done:,}/{_counted(progress.tags_total, 'tag')}  "
            f"{progress.values_done:,}/{progress.values_total:,} values",
        )

    def finish(self, done: Exported, folder: object) -> None:
        """The last word: what has been written, where, in how long."""
        what = f"{_counted(done.tags, 'tag')} of {_counted(done.runs, 'run')}"
        self._end(f"Wrote {what} to {_counted(done.files, 'file')} in {folder} in {self._seconds():.1f} s")


def _share(done: int, total: int) -> float:
    return min(1.0, done / total) if total else 0.0


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
