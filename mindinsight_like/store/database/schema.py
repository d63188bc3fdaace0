"""The tables of the index, and how an outdated or damaged index is replaced by an empty one."""

from __future__ import annotations

import time

from mindinsight_like.store import run_states
from mindinsight_like.store.database.database import Connection, DamagedDatabase, Database
from mindinsight_like.store.progress import Progress
from mindinsight_like.store.rows import document_rows, lineage_rows, tracker_rows
from mindinsight_like.store.run_totals import RunTotals

SCHEMA_VERSION = "19"  # raised whenever tables, segments or the meaning of a column change, or dialects are added

_TABLES = (
    # Single values: schema_version, version (grows with every commit), next_id, and the loading state.
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    # parent and source: an add_scalars sub-folder is shown in its parent run, its curves called `source`.
    # search_name: its names in lower case; warnings: damages of its own files.
    # lone_tag: the only tag of a TensorBoard folder that has just one, which makes it a candidate for that.
    """CREATE TABLE runs (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, parent TEXT, source TEXT NOT NULL DEFAULT '', lone_tag TEXT,
        created_at DOUBLE PRECISION NOT NULL, updated_at DOUBLE PRECISION NOT NULL, bytes BIGINT NOT NULL,
        dialects TEXT NOT NULL, counts TEXT NOT NULL, version BIGINT NOT NULL,
        display_name TEXT NOT NULL DEFAULT '',
        search_name TEXT NOT NULL, warnings BIGINT NOT NULL,"""
    + run_states.RUN_COLUMNS
    + ")",
    "CREATE INDEX runs_by_version ON runs (version)",
    run_states.INDEX,
    "CREATE INDEX runs_by_parent ON runs (parent) WHERE parent IS NOT NULL",
    "CREATE TABLE removed_runs (id TEXT PRIMARY KEY, version BIGINT NOT NULL)",
    # position: first byte not yet read; mark: fingerprint of the bytes before it, to notice a replaced file;
    # inode, ctime_ns, checksum (of all bytes before the position) and verified tell whether it is still the same file.
    # first_wall .. points: the reach of its scalars and how many points its longest series has, see `Pace`.
    # partial: reading has been interrupted there, there is more to read even if the file has not changed since.
    # hidden: it is no part of a run, see `TrackedFile.is_hidden`.
    """CREATE TABLE files (
        id BIGINT PRIMARY KEY, run TEXT NOT NULL, name TEXT NOT NULL, dialect INTEGER NOT NULL, rank BIGINT,
        created_at DOUBLE PRECISION, size BIGINT NOT NULL, mtime_ns BIGINT NOT NULL, position BIGINT NOT NULL,
        damaged INTEGER NOT NULL, damages BIGINT NOT NULL, mark {bytes} NOT NULL, partial INTEGER NOT NULL,
        inode BIGINT NOT NULL, ctime_ns BIGINT NOT NULL, checksum BIGINT NOT NULL, verified INTEGER NOT NULL,
        display_name TEXT NOT NULL DEFAULT '', first_wall DOUBLE PRECISION, last_wall DOUBLE PRECISION,
        first_step BIGINT, last_step BIGINT, points BIGINT NOT NULL DEFAULT 0, hidden INTEGER NOT NULL DEFAULT 0)""",
    "CREATE UNIQUE INDEX files_by_name ON files (name)",
    "CREATE INDEX files_by_run ON files (run)",
    # number: the series' number inside its file's segments; key: its raw name where `tag` cannot hold it.
    # first_step, last_step, first_wall, last_wall: smallest and largest step, first and latest wall time of all points.
    # count, min, max, last_value, non_finite: of the points that the file alone would show; min, max, last_value are
    # NULL for NaN. superseded: points it would not show, NULL where these statistics must be computed from the points
    # (count is then that of all points, and the others mean nothing).
    """CREATE TABLE series (
        file BIGINT NOT NULL, kind INTEGER NOT NULL, tag TEXT NOT NULL, sub TEXT NOT NULL, number INTEGER NOT NULL,
        count BIGINT NOT NULL, first_step BIGINT NOT NULL, last_step BIGINT NOT NULL,
        first_wall DOUBLE PRECISION NOT NULL, last_wall DOUBLE PRECISION NOT NULL,
        min DOUBLE PRECISION, max DOUBLE PRECISION, last_value DOUBLE PRECISION, non_finite BIGINT NOT NULL,
        superseded BIGINT, key {bytes},
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
    run_states.TABLE,
    tracker_rows.TABLE,
    document_rows.TABLE,
    document_rows.INDEX,
)


# The orders in which runs are listed, and what they are searched by. Made when the first load is over: a sorted build
# takes a fraction of what keeping them up to date meanwhile would.
RUN_INDEXES = (
    *(
        f"CREATE INDEX IF NOT EXISTS runs_by_{column} ON runs ({column}, name) WHERE parent IS NULL"
        for column in ("created_at", "updated_at", "bytes", "dialects", "warnings")
    ),
    "CREATE INDEX IF NOT EXISTS runs_by_name ON runs (name) WHERE parent IS NULL",
    "CREATE INDEX IF NOT EXISTS runs_by_search_name ON runs (search_name, id, parent) WHERE parent IS NULL",
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
                ("totals", RunTotals().to_text()),
                ("loading", Progress().to_text()),  # until the loader says that it is done
            ],
        )


def is_current(connection: Connection) -> bool:
    """Whether the tables are there and of this program's version; raises DamagedDatabase when some are missing."""
    names = {table.split()[2] for table in _TABLES if table.startswith("CREATE TABLE")}
    missing = sorted(names - connection.tables())  # seen at one moment: they are made at one moment, too
    if len(missing) == len(names):
        return False  # nobody has made them yet
    if missing == ["meta"]:
        raise DamagedDatabase("the table meta is missing")
    is_current = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'") == [(SCHEMA_VERSION,)]
    if is_current and missing:
        raise DamagedDatabase(f"tables are missing: {', '.join(missing)}")
    return is_current
