"""Rows of trackers' logs: what the loader knows of them beyond what it knows of every log file."""

from __future__ import annotations

from collections.abc import Sequence

from mindinsight_like.logs.kinds import TRACKER_DIALECTS
from mindinsight_like.store.database.database import Connection
from mindinsight_like.store.files import TrackedFile

# run: its name, as a store belongs to no run; store: name of the log with several runs that this is one of.
TABLE = """CREATE TABLE tracker_logs (
    file BIGINT PRIMARY KEY, run TEXT NOT NULL, cursor {bytes} NOT NULL, document_bytes BIGINT NOT NULL,
    store TEXT NOT NULL, is_store INTEGER NOT NULL)"""
COLUMNS = "tracker_logs.run, cursor, document_bytes, store, is_store"


def store_logs(connection: Connection, files: Sequence[TrackedFile]) -> None:
    """Insert what is known of the trackers' logs among some files, or bring it up to date."""
    connection.execute_many(
        "INSERT INTO tracker_logs (file, run, cursor, document_bytes, store, is_store) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (file) DO UPDATE SET cursor = excluded.cursor, document_bytes = excluded.document_bytes",
        [
            (file.id, file.run, file.cursor, file.document_bytes, file.store, int(file.is_store))
            for file in files
            if file.dialect in TRACKER_DIALECTS
        ],
    )


def forget(connection: Connection, file: TrackedFile) -> None:
    if file.dialect in TRACKER_DIALECTS:
        connection.execute("DELETE FROM tracker_logs WHERE file = ?", (file.id,))
