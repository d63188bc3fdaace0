"""Tables of the user data, their version, and the upgrade from every earlier one.

Whoever changes a table raises SCHEMA_VERSION, adds the step from the version before to `_UPGRADES`, commits a database
of that version to tests/store/data and tests that it opens: nobody can make this data anew.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mindinsight_like.errors import ServiceError
from mindinsight_like.store.database.database import Connection, DamagedDatabase, Database, Row

log = logging.getLogger(__name__)

SCHEMA_VERSION = 3

# Every table with user data, in the order of its columns: what backups hold.
COLUMNS = {
    # version: grows with every change of the board's data; also the version that the changed note or view gets.
    "boards": ("id", "version"),
    # Which board a folder belongs to. Without a row it is the one with the id `origin`.
    "folders": ("origin", "board", "base_dir", "host"),
    "declined": ("origin", "board"),
    # What the runs of a board are recognised by when their folder has moved: the first bytes of their first file.
    "board_runs": ("board", "run", "file", "length", "digest"),
    "runs": ("board", "run", "note", "note_version", "labels", "labels_version", "updated_at"),
    "views": ("board", "id", "name", "address", "version", "created_at", "updated_at"),
    "run_settings": ("board", "run", "name", "colour", "owner", "archived", "hidden", "version", "updated_at"),
}
# Tables whose rows have a checksum of all columns but the first: rows move from board to board. Backups have their own.
CHECKED = ("runs", "views", "run_settings")

_RUN_SETTINGS = """CREATE TABLE run_settings (
    board TEXT NOT NULL, run TEXT NOT NULL, name TEXT NOT NULL, colour TEXT NOT NULL, owner TEXT NOT NULL,
    archived INTEGER NOT NULL, hidden INTEGER NOT NULL, version BIGINT NOT NULL, updated_at DOUBLE PRECISION NOT NULL,
    checksum TEXT NOT NULL, PRIMARY KEY (board, run))"""
# What the last changes of many runs have replaced, as JSON; not part of backups.
_UNDO = """CREATE TABLE undo (
    token TEXT PRIMARY KEY, board TEXT NOT NULL, created_at DOUBLE PRECISION NOT NULL, changes TEXT NOT NULL)"""

_TABLES = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE boards (id TEXT PRIMARY KEY, version BIGINT NOT NULL)",
    """CREATE TABLE folders (
        origin TEXT PRIMARY KEY, board TEXT NOT NULL, base_dir TEXT NOT NULL, host TEXT NOT NULL)""",
    "CREATE TABLE declined (origin TEXT NOT NULL, board TEXT NOT NULL, PRIMARY KEY (origin, board))",
    """CREATE TABLE board_runs (
        board TEXT NOT NULL, run TEXT NOT NULL, file TEXT NOT NULL, length BIGINT NOT NULL, digest TEXT NOT NULL,
        PRIMARY KEY (board, run))""",
    """CREATE TABLE runs (
        board TEXT NOT NULL, run TEXT NOT NULL, note TEXT NOT NULL, note_version BIGINT NOT NULL,
        labels TEXT NOT NULL, labels_version BIGINT NOT NULL, updated_at DOUBLE PRECISION NOT NULL,
        checksum TEXT NOT NULL, PRIMARY KEY (board, run))""",
    """CREATE TABLE views (
        board TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, address TEXT NOT NULL, version BIGINT NOT NULL,
        created_at DOUBLE PRECISION NOT NULL, updated_at DOUBLE PRECISION NOT NULL, checksum TEXT NOT NULL,
        PRIMARY KEY (board, id))""",
    _RUN_SETTINGS,
    _UNDO,
    # Found by the loader, and found again after a restore; so not part of backups.
    """CREATE TABLE offers (
        origin TEXT PRIMARY KEY, board TEXT NOT NULL, same_runs BIGINT NOT NULL, runs BIGINT NOT NULL,
        is_checked INTEGER NOT NULL)""",
)

_LEGACY_FILE = re.compile(r"([0-9a-f]{16})\.sqlite")
_LEGACY_SCHEMA = re.compile(r"mi_annotations_([0-9a-f]{16})")
_LOCK = 0x6D695F75736572  # of PostgreSQL: one process prepares the tables


class UserDataUnusable(ServiceError):
    """The user data cannot be read or changed: damaged, or of a newer version of this program."""

    status = 503
    code = "user_data_unusable"


class _Legacy(NamedTuple):
    board: str
    runs: list[Row]  # run, note, labels
    views: list[Row]  # id, name, address, created_at, updated_at


def now_version() -> int:
    """Milliseconds since 1970: no number is used twice, even if the data is restored from an older backup."""
    return time.time_ns() // 1_000_000


def schema_version(connection: Connection) -> int | None:
    """The version of the tables; None while there are none."""
    if not connection.has_table("meta"):
        return None
    rows = connection.execute("SELECT value FROM meta WHERE key = 'schema_version'")
    return int(rows[0][0]) if rows else None


def checksum(values: Sequence[object]) -> str:
    """Of the values of a row behind its board."""
    return hashlib.blake2b(json.dumps(values).encode(), digest_size=8).hexdigest()


def is_shared_item(view: str) -> bool:
    """Whether a row of views is something else that people share, see `shared_items`."""
    return ":" in view  # no id of a view has one


def insert(connection: Connection, table: str, rows: Iterable[Sequence[object]]) -> None:
    """Add rows with the values of `COLUMNS`, and with their checksums where the table has them."""
    columns: tuple[str, ...] = COLUMNS[table]
    if table in CHECKED:
        columns = (*columns, "checksum")
        rows = [(*row, checksum(row[1:])) for row in rows]
    places = ", ".join("?" * len(columns))
    connection.execute_many(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", rows)


def select(
    connection: Connection,
    table: str,
    where: str = "",
    parameters: Sequence[object] = (),
    *,
    tell: Callable[[DamagedDatabase], None] | None = None,
) -> list[Row]:
    """Rows with the values of `COLUMNS`, without those that fail their checksum; raises DamagedDatabase unless told."""
    rows = connection.execute(f"SELECT {', '.join(COLUMNS[table])}, checksum FROM {table} {where}", parameters)
    intact = [row[:-1] for row in rows if checksum(row[1:-1]) == row[-1]]
    if len(intact) < len(rows):
        error = DamagedDatabase(f"{len(rows) - len(intact)} of {len(rows)} rows of {table} fail their checksum")
        if tell is None:
            raise error
        tell(error)
    return intact


def prepare(database: Database, connection: Connection, legacy_folder: Path) -> None:
    """Create the tables, or bring those of an earlier version up to date; raises UserDataUnusable for a newer one."""
    with connection.transaction():
        if database.kind == "postgresql":
            connection.execute("SELECT pg_advisory_xact_lock(?)", (_LOCK,))
        version = schema_version(connection)
        if version is None:
            for table in _TABLES:
                connection.execute(table)
            legacy_data = _in_schemas(connection) if database.kind == "postgresql" else _in_files(legacy_folder)
            for legacy in legacy_data:
                _import(connection, legacy)
            connection.execute("INSERT INTO meta VALUES ('schema_version', ?)", (str(SCHEMA_VERSION),))
            return
        check(version)
        while version < SCHEMA_VERSION:
            _UPGRADES[version](connection)
            version += 1
            connection.execute("UPDATE meta SET value = ? WHERE key = 'schema_version'", (str(version),))


def check(version: int) -> None:
    """Raise UserDataUnusable when tables are of a later version than this program knows."""
    if version > SCHEMA_VERSION:
        raise UserDataUnusable(
            f"Notes, labels and views were saved by a newer version of this program (their version is {version}, this"
            f" program knows {SCHEMA_VERSION}); use that version."
        )


def has_legacy(database: Database, connection: Connection | None, legacy_folder: Path) -> bool:
    """Whether the release before boards has left data: a file, or with PostgreSQL a schema, for each base dir."""
    if database.kind == "postgresql":
        return connection is not None and bool(_legacy_schemas(connection))
    return any(_legacy_files(legacy_folder))


def _import(connection: Connection, legacy: _Legacy) -> None:
    version, now = now_version(), time.time()
    connection.execute("INSERT INTO boards VALUES (?, ?)", (legacy.board, version))
    insert(
        connection,
        "runs",
        [
            (legacy.board, run, note, version if note else 0, labels, version if labels != "[]" else 0, now)
            for run, note, labels in legacy.runs
        ],
    )
    insert(connection, "views", [(legacy.board, *view[:3], version, *view[3:]) for view in legacy.views])


def _legacy_files(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.glob("*.sqlite")):
        if match := _LEGACY_FILE.fullmatch(path.name):
            yield match[1], path


def _in_files(folder: Path) -> Iterator[_Legacy]:
    """The data of the files, which are left as they are."""
    for board, path in _legacy_files(folder):
        raw = None
        try:
            raw = sqlite3.connect(path, timeout=5)
            yield _Legacy(
                board,
                raw.execute("SELECT run, note, labels FROM runs").fetchall(),
                raw.execute("SELECT id, name, address, created_at, updated_at FROM views").fetchall(),
            )
        except sqlite3.Error as error:
            if "no such table" not in str(error):  # a first save that failed has left an empty one
                log.warning("cannot take over the notes and views in %s: %s", path, error)
        finally:
            if raw is not None:
                raw.close()


def _legacy_schemas(connection: Connection) -> list[tuple[str, str]]:
    """Board ids and names of schemas."""
    rows = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE ?", ("mi\\_annotations\\_%",))
    return [(match[1], name) for (name,) in rows if (match := _LEGACY_SCHEMA.fullmatch(name))]


def _in_schemas(connection: Connection) -> Iterator[_Legacy]:
    for board, schema in _legacy_schemas(connection):
        if connection.execute("SELECT to_regclass(?), to_regclass(?)", (f"{schema}.runs", f"{schema}.views"))[0].count(
            None
        ):
            continue
        yield _Legacy(
            board,
            connection.execute(f"SELECT run, note, labels FROM {schema}.runs"),
            connection.execute(f"SELECT id, name, address, created_at, updated_at FROM {schema}.views"),
        )


def _add_checksums(connection: Connection) -> None:
    for table in ("runs", "views"):
        rows = connection.execute(f"SELECT {', '.join(COLUMNS[table])} FROM {table}")
        connection.execute(f"ALTER TABLE {table} ADD COLUMN checksum TEXT NOT NULL DEFAULT ''")
        connection.execute(f"DELETE FROM {table}")
        insert(connection, table, rows)


def _add_run_settings(connection: Connection) -> None:
    connection.execute(_RUN_SETTINGS)
    connection.execute(_UNDO)


# version -> the step to the next one
_UPGRADES: dict[int, Callable[[Connection], None]] = {1: _add_checksums, 2: _add_run_settings}


def damaged(error: DamagedDatabase, backups: Path) -> UserDataUnusable:
    return UserDataUnusable(
        f"Notes, labels and views cannot be read: {error}. The newest backup is in {backups}; `app restore FILE`"
        " brings it back."
    )
