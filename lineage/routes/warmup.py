"""Build the run table in the background when a web process starts, so that the first search does not wait for it."""

from __future__ import annotations

import contextlib
import gc
import logging
import threading
import time
from collections.abc import Iterator

from flask import Flask

from mindinsight_like.errors import ServiceError
from mindinsight_like.http.index_access import current_reader

from .current_tables import current_folded_runs

_MOST_COLUMNS = 300  # that are listed at first; a table may have thousands that nobody looks at

_log = logging.getLogger(__name__)


def start_warmup(app: Flask, *, look_again_seconds: float = 1.0) -> threading.Thread:
    """Start the background thread; it waits until the logs are loaded, since the table changes until then."""

    def build() -> None:
        try:
            with app.app_context():
                while not _is_loaded():
                    time.sleep(look_again_seconds)
                with _paused_collector():
                    united = current_folded_runs().get()
                    for name in united.suggestion.columns:
                        _ = united.table.column(name).descending  # people sort by what they see
                    for name in united.inventory.names()[:_MOST_COLUMNS]:
                        united.inventory.column(name)
        except Exception:  # whoever asks for the table is told what is wrong
            _log.warning("cannot warm up the runs table", exc_info=True)

    thread = threading.Thread(target=build, name="run-table", daemon=True)
    thread.start()
    return thread


@contextlib.contextmanager
def _paused_collector() -> Iterator[None]:
    """Without garbage collection: it would look through the growing table again and again, a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _is_loaded() -> bool:
    try:
        return current_reader().service().loading.state == "idle"
    except ServiceError:
        return False
