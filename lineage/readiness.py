"""The table of runs, built in the background when a web process starts: nobody's first search waits for it."""

from __future__ import annotations

import logging
import threading
import time

from flask import Flask

from mindinsight_like.errors import ServiceError
from mindinsight_like.web.source import current_reader

from .current import current_tables
from .queries import described

_MOST_COLUMNS = 500  # those that are shown at first; a table may have thousands that nobody looks at

_log = logging.getLogger(__name__)


def make_ready(app: Flask, *, look_again_seconds: float = 1.0) -> threading.Thread:
    """Begin with it as soon as the logs are loaded: until then every look would find another table."""

    def build() -> None:
        try:
            with app.app_context():
                while not _is_loaded():
                    time.sleep(look_again_seconds)
                table = current_tables().get().table
                described(table, table.names[:_MOST_COLUMNS])  # makes them
        except Exception:  # whoever asks for the table is told what is wrong
            _log.warning("the table of runs could not be built in advance", exc_info=True)

    thread = threading.Thread(target=build, name="run-table", daemon=True)
    thread.start()
    return thread


def _is_loaded() -> bool:
    try:
        return current_reader().service().loading.state == "idle"
    except ServiceError:
        return False
