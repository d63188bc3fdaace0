"""Index reader and user data of a process, opened when first needed."""

from __future__ import annotations

import os
import threading

from mindinsight_like.conf.settings import Settings
from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.annotations.boards import Boards
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.reader import IndexReader


class ReaderSource:
    """Opens one reader per process, after the fork: database connections do not survive being shared."""

    def __init__(self, settings: Settings, reader: IndexReader | None = None) -> None:
        self._settings = settings
        self._reader = reader
        self._annotations: Annotations | None = None
        self._boards: Boards | None = None
        self._process = os.getpid() if reader is not None else 0
        self._lock = threading.Lock()

    def get(self) -> IndexReader:
        with self._lock:
            if self._reader is None or self._process != os.getpid():
                settings = self._settings
                self._reader = IndexReader(IndexLocation.of_settings(settings))
                self._annotations = None
                self._process = os.getpid()
            return self._reader

    def annotations(self) -> Annotations:
        self.get()  # notices a fork
        settings = self._settings
        with self._lock:
            if self._annotations is None:
                location = IndexLocation.of_settings(settings)
                self._annotations = Annotations(location, settings.board_id)
                self._boards = Boards(location, settings.board_id, self._annotations.database)
            return self._annotations

    def boards(self) -> Boards:
        self.annotations()
        assert self._boards is not None
        return self._boards
