"""Build the run table in the background when a web process starts, so that the first search does not wait for it."""

from __future__ import annotations

import logging
import threading
import time

from flask import Flask

from mindinsight_like.errors import ServiceError
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.lineage.query.search import column_infos

from .current_tables import current_runs, current_tables

_MOST_COLUMNS = 500  # those that are shown at first; a table may have thousands that nobody looks at

_log = logging.getLogger(__name__)


def start_warmup(app: Flask, *, look_again_seconds: float = 1.0) -> threading.Thread:
    """Start the background thread; it waits until the logs are loaded, since the table changes until then."""

    def build() -> None:
        try:
            with app.app_context():
                while not _is_loaded():
                    time.sleep(look_again_seconds)
                table = current_tables().get().table
                column_infos(table, table.names[:_MOST_COLUMNS])  # makes them
                united = current_runs().get()
                for name in united.suggestion.columns:
                    _ = united.table.column(name).descending  # people sort by what they see
        except Exception:  # whoever asks for the table is told what is wrong
            _log.warning("cannot warm up the runs table", exc_info=True)

    thread = threading.Thread(target=build, name="run-table", daemon=True)
    thread.start()
    return thread


def _is_loaded() -> bool:
    try:
        return current_reader().service().loading.state == "idle"
    except ServiceError:
        return False
