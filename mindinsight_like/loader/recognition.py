"""Recognise log files by their first bytes where the name is not enough; cached until the file changes."""

from __future__ import annotations

import os
from collections.abc import Sequence

from mindinsight_like.logs.names import LogName
from mindinsight_like.logs.paths import lies_inside, open_log
from mindinsight_like.logs.whole_files import HEAD_BYTES, dialect_by_head

_MOST_IN_FOLDER = 1000  # files to be looked into; a folder with more of them holds data, not models

_State = tuple[int, int, int]  # of a file: its number in the file system, size, time


class Recognising:
    """What the files of one folder are that had to be looked into."""

    def __init__(self, top: str, entries: Sequence[os.DirEntry[str]], before: Recognising | None) -> None:
        self._known: dict[str, tuple[_State, LogName | None]] = {}
        self._empty: list[str] = []  # paths of files that nothing was written to yet
        self.closed: set[str] = set()  # names of files that cannot be read now
        for entry in entries if len(entries) <= _MOST_IN_FOLDER else ():
            try:
                if not entry.is_file():
                    continue
                status = entry.stat()
                state = (status.st_ino, status.st_size, status.st_mtime_ns)
                previous = before._known.get(entry.name) if before else None
                if status.st_size == 0:
                    self._empty.append(entry.path)
                elif previous is not None and previous[0] == state:
                    self._known[entry.name] = previous
                else:
                    self._known[entry.name] = state, _look(top, entry)
            except OSError:
                self.closed.add(entry.name)

    def kind_of(self, name: str) -> LogName | None:
        return self._known[name][1] if name in self._known else None

    def must_look_again(self) -> bool:
        """Whether files may be something else by now without their folder's time showing it."""
        return bool(self.closed) or any(_size(path) for path in self._empty)


def _look(top: str, entry: os.DirEntry[str]) -> LogName | None:
    handle = open_log(entry.path)
    try:
        dialect = dialect_by_head(entry.name, os.pread(handle, HEAD_BYTES, 0)) if lies_inside(top, handle) else None
    finally:
        os.close(handle)
    return None if dialect is None else LogName(dialect, None, None)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - done in every round
    except OSError:
        return 0
