"""Comparison of log files with what was read of them, in slices, so that no file waits for a larger one."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from mindinsight_like.logs.paths import content_checksums, inode
from mindinsight_like.store.files import TrackedFile


class _Compared(NamedTuple):
    """How far the bytes of one state of a file were compared."""

    state: tuple[int, int, int, int]  # size, inode and ctime of the file; how far it was read
    position: int
    checksum: int


class Verification:
    """Goes on with each file where its last slice ended, as long as the file stays as it is."""

    def __init__(self, slice_seconds: float) -> None:
        self._slice_seconds = slice_seconds
        self._unfinished: dict[str, _Compared] = {}

    def is_unfinished(self, name: str) -> bool:
        """Whether a file waits for its next slice."""
        return name in self._unfinished

    def forget(self, name: str) -> None:
        """Drop what is known of a file that is gone."""
        self._unfinished.pop(name, None)

    def has_content(self, handle: int, file: TrackedFile, status: os.stat_result) -> bool | None:
        """Whether the bytes before the position are those that were read; None until all are compared.

        Raises OSError.
        """
        end = time.monotonic() + self._slice_seconds
        state = status.st_size, inode(status), status.st_ctime_ns, file.position
        before = self._unfinished.pop(file.name, None)
        compared = before if before is not None and before.state == state else _Compared(state, 0, 0)
        for position, checksum in content_checksums(handle, file.position, compared.position, compared.checksum):
            compared = _Compared(state, position, checksum)
            if position < file.position and time.monotonic() > end:
                self._unfinished[file.name] = compared
                return None
        return compared.checksum == file.checksum
