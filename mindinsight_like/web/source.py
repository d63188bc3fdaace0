"""The index reader of this process, opened when first needed."""

from __future__ import annotations

import os
import threading

from flask import current_app

from mindinsight_like.conf.settings import Settings
from mindinsight_like.store.reading import IndexReader


class ReaderSource:
    """Opens one reader per process, after the fork: database connections do not survive being shared."""

    def __init__(self, settings: Settings, reader: IndexReader | None = None) -> None:
        self._settings = settings
        self._reader = reader
        self._process = os.getpid() if reader is not None else 0
        self._lock = threading.Lock()

    def get(self) -> IndexReader:
        with self._lock:
            if self._reader is None or self._process != os.getpid():
                settings = self._settings
                self._reader = IndexReader.open(
                    settings.summary_base_dir, settings.workspace, settings.store_url or None
                )
                self._process = os.getpid()
            return self._reader


def current_reader() -> IndexReader:
    source: ReaderSource = current_app.extensions["reader"]
    return source.get()
