"""What waits while a loader reads: updates for the next commit, and what there is to tell of a backlog."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable

from mindinsight_like.loader.discovery import FoundFile
from mindinsight_like.logs.kinds import TRACKER_DIALECTS, Dialect
from mindinsight_like.store.files import EMPTY, UNFINISHED, FileUpdate, TrackedFile, Trouble

log = logging.getLogger(__name__)

_COMMIT_POINTS = 250_000  # bounds the memory that waits for a commit
_COMMIT_BYTES = 64 * 1024 * 1024  # of documents
_COMMIT_SECONDS = 0.5  # loaded runs are to be seen while others still load
_LINEAGE_SECONDS = 5.0  # while a backlog loads


class PendingBatch:
    """Updates on their way to the next commit, one of each file at most."""

    def __init__(self, *, most_series: int) -> None:
        self._updates: dict[str, FileUpdate] = {}
        self._most_series = most_series  # that are new
        self._points = self._series = self._bytes = 0
        self._since = time.monotonic()

    def holds(self, file: str) -> bool:
        return file in self._updates

    def add(self, update: FileUpdate) -> None:
        if not self._updates:
            self._since = time.monotonic()
        self._updates[update.file.name] = update
        for each in (update, *update.runs):
            self._bytes += len(each.documents)
            if each.batch is not None:
                self._points += len(each.batch.steps) + len(each.batch.blob_steps)
                self._series += len(each.batch.keys)

    def is_full(self) -> bool:
        is_late = bool(self._updates) and time.monotonic() - self._since > _COMMIT_SECONDS
        is_large = self._points >= _COMMIT_POINTS or self._bytes >= _COMMIT_BYTES
        return is_late or is_large or self._series >= self._most_series

    def take(self) -> tuple[list[FileUpdate], list[TrackedFile]]:
        """The updates, those of stores followed by those of their runs, and the runs that are gone from stores."""
        updates = [each for update in self._updates.values() for each in (update, *update.runs)]
        gone = [file for update in self._updates.values() for file in update.gone]
        self._updates = {}
        self._points = self._series = self._bytes = 0
        return updates, gone


class BacklogLog:
    """What there is to tell of a backlog once it is loaded."""

    def __init__(self) -> None:
        self.files = 0
        self.is_shown = False  # in the page, as progress
        self._has_new = False
        self._since = self._lineage_kept = time.monotonic()

    def add(self, files: Iterable[FoundFile], tracked_files: dict[str, TrackedFile]) -> None:
        for file in files:
            self.files += 1
            self._has_new = self._has_new or file.name not in tracked_files

    def is_lineage_due(self) -> bool:
        now = time.monotonic()
        if now - self._lineage_kept < _LINEAGE_SECONDS:
            return False
        self._lineage_kept = now
        return True

    def tell(self, runs: int) -> None:
        # Files that merely grow do so all day long.
        level = logging.INFO if self.is_shown or self._has_new else logging.DEBUG
        log.log(level, "read %d files of %d runs in %.2f s", self.files, runs, time.monotonic() - self._since)


def unfinished(file: TrackedFile) -> Trouble | None:
    """What is wrong with a file that nobody has written to for some time."""
    if file.dialect in TRACKER_DIALECTS:
        return None  # their readers know best
    if file.size == 0:
        if file.dialect == Dialect.RUN_STATE or ".slice_" in file.name:
            return None  # a part of Ascend's raw data, which may well have nothing to say
        return Trouble(0, EMPTY, "the file is empty")
    if file.position < file.size and not file.damaged:
        left = file.size - file.position
        return Trouble(
            file.position, UNFINISHED, f"the last record is not complete; {left} bytes wait for the rest of it"
        )
    return None
