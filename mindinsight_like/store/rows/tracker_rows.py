"""Rows of trackers' logs: what the loader knows of them beyond what it knows of every log file."""

from __future__ import annotations

from collections.abc import Sequence

from mindinsight_like.logs.kinds import TRACKER_DIALECTS
from mindinsight_like.store.database.database import Connection
from mindinsight_like.store.files import FileUpdate, TrackedFile

# run: its name, as a store belongs to no run; store: name of the log with several runs that this is one of.
# lineage: a document with all that was said of the run. It may change with every slice, so it is no blob of a segment,
# of which there would be ever more; a blob with nothing in it tells that there is one.
TABLE = """CREATE TABLE tracker_logs (
    file BIGINT PRIMARY KEY, run TEXT NOT NULL, cursor {bytes} NOT NULL, document_bytes BIGINT NOT NULL,
    store TEXT NOT NULL, is_store INTEGER NOT NULL, lineage {bytes})"""
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


def store_lineage(connection: Connection, updates: Sequence[FileUpdate], files: Sequence[TrackedFile]) -> None:
    """Keep what updates say of their runs (`files`: theirs, with ids), and forget what logs said that start over."""
    connection.execute_many(
        "UPDATE tracker_logs SET lineage = ? WHERE file = ?",
        [
            (update.lineage, file.id)
            for update, file in zip(updates, files, strict=True)
            if file.dialect in TRACKER_DIALECTS and (update.lineage is not None or update.starts_over)
        ],
    )


def lineage(connection: Connection, file: TrackedFile) -> bytes:
    """What was said of a run; empty for nothing."""
    rows = connection.execute("SELECT lineage FROM tracker_logs WHERE file = ? AND lineage IS NOT NULL", (file.id,))
    return bytes(rows[0][0]) if rows else b""


def forget(connection: Connection, file: TrackedFile) -> None:
    if file.dialect in TRACKER_DIALECTS:
        connection.execute("DELETE FROM tracker_logs WHERE file = ?", (file.id,))
