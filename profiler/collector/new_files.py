"""Files that a framework's profiler has written, found when its recording has ended."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from mindinsight_like.profiler.traces.own_format import ENDING

PIECE_BYTES: Final = 1 << 20
_LARGEST_FILE: Final = 2 << 30
_MOST_FILES: Final = 10_000
_SETTLED_SECONDS: Final = 2.0


class NewFiles:
    """Looks for profile files below a folder that have been written since the last look and are not growing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._since = time.time()
        self._taken: dict[str, tuple[int, int]] = {}  # size and time when it was taken
        self.too_large: list[str] = []

    def look(self) -> Iterator[dict[str, Any]]:
        """The pieces of all new files, as entries of a spool tell them; our own traces come as blocks."""
        for path, size in self._found():
            for offset in range(0, max(size, 1), PIECE_BYTES):
                length = min(PIECE_BYTES, size - offset)
                is_last = offset + length >= size
                told = {"folder": str(self._folder), "path": path, "offset": offset, "length": length}
                yield {**told, "is_last": is_last}

    def _found(self) -> Iterator[tuple[str, int]]:
        for path, status in self._written():
            stamp = (status.st_size, status.st_mtime_ns)
            if self._taken.get(path) == stamp or time.time() - status.st_mtime < _SETTLED_SECONDS:
                continue
            self._taken[path] = stamp
            if status.st_size > _LARGEST_FILE:
                self.too_large.append(path)
            else:
                yield path, status.st_size

    def _written(self) -> Iterator[tuple[str, os.stat_result]]:
        from mindinsight_like.profiler.traces.names import told_by_names  # brings numpy along

        count = 0
        for folder, folders, files in os.walk(self._folder):
            folders[:] = [name for name in folders if not name.startswith(".") and name != "analysis"]
            inside = os.path.relpath(folder, self._folder)
            for name in told_by_names(inside, (file for file in files if not file.endswith(ENDING))):
                count += 1
                if count > _MOST_FILES:
                    return
                try:
                    status = Path(folder, name).stat()
                except OSError:
                    continue
                if status.st_mtime >= self._since - 1:
                    yield Path(inside, name).as_posix(), status
