"""The table of runs of this process, for routes."""

from __future__ import annotations

import threading

from flask import current_app

from mindinsight_like.store.reading import IndexReader
from mindinsight_like.web.source import current_annotations, current_reader

from .run_table import RunTables

_lock = threading.Lock()


def current_tables() -> RunTables:
    """One per process and reader: a worker that was forked opens a reader of its own."""
    reader = current_reader()
    with _lock:
        held: tuple[IndexReader, RunTables] | None = current_app.extensions.get("run_tables")
        if held is None or held[0] is not reader:
            held = current_app.extensions["run_tables"] = reader, RunTables(reader, current_annotations())
        return held[1]
