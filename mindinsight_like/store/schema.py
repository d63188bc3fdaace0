"""The tables of the index, and how an outdated or damaged index is replaced by an empty one."""

from __future__ import annotations

import time

from mindinsight_like.store import lineage_rows
from mindinsight_like.store.database import Connection, DamagedDatabase, Database
from mindinsight_like.store.progress import Progress

SCHEMA_VERSION = "8"  # raised whenever tables, segments or the meaning of a column change, or dialects are added

_TABLES = (
    # Single values: schema_version, version (grows with every commit), next_id, and the loading state.
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    # parent and source: an add_scalars sub-folder is shown in its parent run, its curves called `source`.
    # lone_tag: the only tag of a TensorBoard folder that has just one, which makes it a candidate for that.
    """CREATE TABLE runs (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, parent TEXT, source TEXT NOT NULL DEFAULT '', lone_tag TEXT,
        created_at DOUBLE PRECISION NOT NULL, updated_at DOUBLE PRECISION NOT NULL, bytes BIGINT NOT NULL,
        dialects TEXT NOT NULL, counts TEXT NOT NULL, version BIGINT NOT NULL)""",
    "CREATE INDEX runs_by_version ON runs (version)",
    "CREATE INDEX runs_by_parent ON runs (parent)",
    "CREATE TABLE removed_runs (id TEXT PRIMARY KEY, version BIGINT NOT NULL)",
    # position: first byte not yet read; mark: fingerprint of the bytes before it, to notice a replaced file.
    """CREATE TABLE files (
        id BIGINT PRIMARY KEY, run TEXT NOT NULL, name TEXT NOT NULL, dialect INTEGER NOT NULL, rank BIGINT,
        created_at DOUBLE PRECISION, size BIGINT NOT NULL, mtime_ns BIGINT NOT NULL, position BIGINT NOT NULL,
        damaged INTEGER NOT NULL, damages BIGINT NOT NULL, mark {bytes} NOT NULL)""",
    "CREATE UNIQUE INDEX files_by_name ON files (name)",
    "CREATE INDEX files_by_run ON files (run)",
    # number: the series' number inside its file's segments; key: its raw name where `tag` cannot hold it.
    # min, max, last_value are NULL for NaN.
    """CREATE TABLE series (
        file BIGINT NOT NULL, kind INTEGER NOT NULL, tag TEXT NOT NULL, sub TEXT NOT NULL, number INTEGER NOT NULL,
        count BIGINT NOT NULL, first_step BIGINT NOT NULL, last_step BIGINT NOT NULL,
        first_wall DOUBLE PRECISION NOT NULL, last_wall DOUBLE PRECISION NOT NULL,
        min DOUBLE PRECISION, max DOUBLE PRECISION, last_value DOUBLE PRECISION, non_finite BIGINT NOT NULL,
        key {bytes},
        PRIMARY KEY (file, number)) {clustered}""",
    "CREATE INDEX series_by_tag ON series {tag_index}",
    # data: the segment itself when it is small, else NULL and it lies in segments/<id>.
    """CREATE TABLE segments (
        id BIGINT PRIMARY KEY, file BIGINT NOT NULL, place BIGINT NOT NULL, points BIGINT NOT NULL,
        bytes BIGINT NOT NULL, data {bytes})""",
    "CREATE INDEX segments_by_file ON segments (file, place)",
    "CREATE TABLE warnings (file BIGINT NOT NULL, position BIGINT NOT NULL, kind TEXT NOT NULL, message TEXT NOT NULL)",
    "CREATE INDEX warnings_by_file ON warnings (file, position)",
    lineage_rows.TABLE,
)


def prepare(database: Database, connection: Connection) -> None:
    """Make the tables of an empty index."""
    with connection.transaction():
        for table in _TABLES:
            connection.execute(
                table.format(bytes=database.bytes_type, clustered=database.clustered, tag_index=database.tag_index)
            )
        connection.execute_many(
            "INSERT INTO meta VALUES (?, ?)",
            [
                ("schema_version", SCHEMA_VERSION),
                # Not from nothing: whoever remembers versions and segments of an earlier index must not take ours for
                # those. No index grows faster than these clocks.
                ("version", str(time.time_ns() // 1_000_000)),
                ("next_id", str(time.time_ns() // 1_000)),
                ("loading", Progress().to_text()),  # until the loader says that it is done
            ],
        )


def is_current(connection: Connection) -> bool:
    """Whether the tables are there and of this program's version."""
    from sqlite3 import OperationalError

    try:
        return connection.execute("SELECT value FROM meta WHERE key = 'schema_version'") == [(SCHEMA_VERSION,)]
    except (OperationalError, DamagedDatabase):
        return False
    except Exception as error:
        # psycopg's own exception classes are not imported where PostgreSQL is not used.
        if type(error).__name__ in ("UndefinedTable", "InvalidSchemaName"):
            return False
        raise
