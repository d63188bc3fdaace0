"""Discovery of files that a framework's profiler has finished writing."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from mindinsight_like.profiler.traces.own_format import ENDING

PIECE_BYTES: Final = 1 << 20
_LARGEST_FILE: Final = 2 << 30
_MOST_FILES: Final = 10_000
_SETTLED_SECONDS: Final = 2.0
_MOST_BUSY: Final = 0.02  # share of the time that may be spent on looking, however many files there are

_OF_HELPER = re.compile(
    rf"\.\d{{10,}}\.\d+{re.escape(ENDING)}$"
)  # a process beside the training, such as a data loader
_OF_RANK = re.compile(r"_rank(\d+)/[^/]*\.xplane\.pb$")
_NameFilter = Callable[[str, Iterable[str]], set[str]]


class NewFiles:
    """Looks for profile files below a folder that have been written since some time and are not growing.

    `source` names the training: who collects for it later finds its files once more, and they are the same. Files whose
    names tell that they are of another `process` of the host, or for JAX of another rank, are left to that.
    """

    def __init__(self, folder: Path, *, source: str, since: float, host: str, process: int, rank: int | None) -> None:
        self._folder = folder
        self._of_process = re.compile(rf"(?:^|/){re.escape(host)}_(\d+)[._]")
        self._process = str(process)
        self._rank = rank
        self._source = source
        self._since = since
        self._taken: dict[str, tuple[int, int]] = {}  # size and time when it was taken
        self._look_at = 0.0
        self.too_large: list[str] = []

    def look(self, *, is_last: bool = False) -> Iterator[dict[str, Any]]:
        """The pieces of all new files, as entries of a spool tell them; the training's own traces come as blocks.

        The last look takes files that have only just been written, too.
        """
        if time.monotonic() < self._look_at and not is_last:
            return
        from mindinsight_like.profiler.traces import sources  # noqa: F401  # brings numpy along, for the next
        from mindinsight_like.profiler.traces.names import profiler_files

        began = time.thread_time()  # without what is imported once
        files = list(self._new_files(profiler_files, 0.0 if is_last else _SETTLED_SECONDS))
        self._look_at = time.monotonic() + (time.thread_time() - began) / _MOST_BUSY
        for path, size, version in files:
            for offset in range(0, max(size, 1), PIECE_BYTES):
                length = min(PIECE_BYTES, size - offset)
                yield {
                    "folder": str(self._folder),
                    "path": path,
                    "version": version,
                    "offset": offset,
                    "length": length,
                    "is_last": offset + length >= size,
                    "source": self._source,
                }

    def _new_files(self, profiler_files: _NameFilter, settled_seconds: float) -> Iterator[tuple[str, int, int]]:
        for path, status in self._written(profiler_files):
            stamp = (status.st_size, status.st_mtime_ns)
            is_settled = settled_seconds == 0 or abs(time.time() - status.st_mtime) >= settled_seconds
            if self._taken.get(path) == stamp or not is_settled or self._is_of_another(path):
                continue
            self._taken[path] = stamp
            if status.st_size > _LARGEST_FILE:
                self.too_large.append(path)
            else:
                yield path, *stamp

    def _is_of_another(self, path: str) -> bool:
        match = self._of_process.search(path)
        if match is not None:
            return match[1] != self._process
        ranked = _OF_RANK.search(path)
        return ranked is not None and self._rank is not None and int(ranked[1]) != self._rank

    def _written(self, profiler_files: _NameFilter) -> Iterator[tuple[str, os.stat_result]]:
        count = 0
        for folder, folders, files in os.walk(self._folder):
            folders[:] = [name for name in folders if not name.startswith(".") and name != "analysis"]
            inside = os.path.relpath(folder, self._folder)
            for name in profiler_files(inside, (file for file in files if not _comes_as_blocks(file))):
                count += 1
                if count > _MOST_FILES:
                    return
                try:
                    status = Path(folder, name).stat()
                except OSError:
                    continue
                if status.st_mtime >= self._since - 1:
                    yield Path(inside, name).as_posix(), status


def _comes_as_blocks(file: str) -> bool:
    return file.endswith(ENDING) and _OF_HELPER.search(file) is None
