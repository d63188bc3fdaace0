"""State of an application that its routes need, and objects they share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from flask import Flask, current_app

from mindinsight_like.conf.settings import Settings
from mindinsight_like.http.reader_source import ReaderSource
from mindinsight_like.store.reader import IndexReader

_KEY = "mindinsight_like"  # in Flask's dictionary of extensions

T = TypeVar("T")


@dataclass(frozen=True)
class AppState:
    settings: Settings
    source: ReaderSource
    version: str  # of this program
    started_at: float  # seconds since 1970
    shared: dict[object, Any] = field(default_factory=dict)  # see `Shared`

    @property
    def prefix(self) -> str:
        """Path under which the service is mounted; empty at the root."""
        return self.settings.url_path_prefix

    @property
    def edition(self) -> tuple[str, str, str]:
        """What the same URL may be answered differently for, besides the data itself."""
        return self.version, str(self.settings.summary_base_dir), self.settings.store_url


def set_state(app: Flask, state: AppState) -> None:
    app.extensions[_KEY] = state


def state_of(app: Flask) -> AppState:
    state: AppState = app.extensions[_KEY]
    return state


def current_state() -> AppState:
    """The state of the application that handles the current request."""
    return state_of(current_app)


class Shared(Generic[T]):
    """An object that all threads of an application share; one per index reader, as a forked worker opens its own."""

    def __init__(self, make: Callable[[AppState, IndexReader], T]) -> None:
        self._make = make
        self._lock = threading.Lock()

    def current(self) -> T:
        """The object of the current application, made when first needed."""
        state = current_state()
        reader = state.source.get()
        with self._lock:
            entry: tuple[IndexReader, T] | None = state.shared.get(self)
            if entry is None or entry[0] is not reader:
                entry = state.shared[self] = reader, self._make(state, reader)
            return entry[1]
