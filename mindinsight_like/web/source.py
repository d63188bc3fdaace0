"""The index reader and the annotations of this process, opened when first needed."""

from __future__ import annotations

import os
import threading

from flask import current_app

from mindinsight_like.conf.settings import Settings
from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.location import IndexLocation
from mindinsight_like.store.reading import IndexReader


class ReaderSource:
    """Opens one reader per process, after the fork: database connections do not survive being shared."""

    def __init__(self, settings: Settings, reader: IndexReader | None = None) -> None:
        self._settings = settings
        self._reader = reader
        self._annotations: Annotations | None = None
        self._process = os.getpid() if reader is not None else 0
        self._lock = threading.Lock()

    def get(self) -> IndexReader:
        with self._lock:
            if self._reader is None or self._process != os.getpid():
                settings = self._settings
                self._reader = IndexReader.open(
                    settings.summary_base_dir, settings.workspace, settings.store_url or None
                )
                self._annotations = None
                self._process = os.getpid()
            return self._reader

    def annotations(self) -> Annotations:
        self.get()  # notices a fork
        settings = self._settings
        with self._lock:
            if self._annotations is None:
                self._annotations = Annotations(
                    IndexLocation.of(settings.summary_base_dir, settings.workspace, settings.store_url)
                )
            return self._annotations


def current_reader() -> IndexReader:
    source: ReaderSource = current_app.extensions["reader"]
    return source.get()


def current_annotations() -> Annotations:
    source: ReaderSource = current_app.extensions["reader"]
    return source.annotations()
