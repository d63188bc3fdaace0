"""One SQL text for SQLite and PostgreSQL: connections, parameters and transactions of both behind one small face.

An object-relational toolkit would cost more CPU to import than reading four million points does, and the store
needs a handful of statements; so the drivers are used directly. Statements are written once, with `?` for
parameters, in the common subset of both databases.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from mindinsight_like.store.location import DatabasePlace

Row = tuple[Any, ...]
_PARAMETERS_AT_ONCE = 500  # far below both databases' limits


class DamagedDatabase(Exception):
    """The file of the database is no database any longer; a writer that meets this has erased it."""


class Connection(Protocol):
    """One thread's connection."""

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]: ...

    def execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None: ...

    def transaction(self) -> contextlib.AbstractContextManager[None]:
        """All or nothing for writers."""

    def snapshot(self) -> contextlib.AbstractContextManager[None]:
        """One consistent view over several reads."""

    def is_lost(self) -> bool:
        """Whether a new connection is needed: the server has gone away, or the file was replaced."""

    def close(self) -> None: ...


class Database(Protocol):
    kind: str  # "sqlite" or "postgresql"
    bytes_type: str
    clustered: str  # table suffix that stores rows in the order of the primary key, where there is one
    tag_index: str  # what finds series by their tag, which may be of any length

    def connect(self, *, write: bool = False) -> Connection: ...

    def exists(self) -> bool: ...

    def erase(self) -> None:
        """Forget everything: the index is disposable."""


def open_database(place: DatabasePlace) -> Database:
    return PostgreSQL(place) if place.store_url else SQLite(place)


def in_chunks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Slices short enough to be the parameters of one statement."""
    for start in range(0, len(items), _PARAMETERS_AT_ONCE):
        yield items[start : start + _PARAMETERS_AT_ONCE]


def marks(items: Sequence[object]) -> str:
    """The placeholders of an IN list."""
    return ", ".join("?" * len(items))


class SQLite:
    kind = "sqlite"
    bytes_type = "BLOB"
    clustered = "WITHOUT ROWID"
    tag_index = "(file, kind, tag)"

    def __init__(self, place: DatabasePlace) -> None:
        self._path = place.sqlite
        self._is_disposable = place.is_disposable

    def exists(self) -> bool:
        return self._path.exists()

    def erase(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def connect(self, *, write: bool = False) -> SQLiteConnection:
        raw = sqlite3.connect(self._path, isolation_level=None, timeout=60, check_same_thread=False)
        connection = SQLiteConnection(raw, self._path, self.erase if write and self._is_disposable else None)
        if write:
            connection.execute("PRAGMA page_size = 32768")  # most of the bytes are segments of some kilobytes
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA wal_autocheckpoint = 2000")  # pages: 64 MB
            # Readers see every commit of a killed process; only a power cut may lose the last ones, and then
            # the file positions go with the data, so those bytes are simply read again.
            connection.execute(f"PRAGMA synchronous = {'NORMAL' if self._is_disposable else 'FULL'}")
        else:
            connection.execute("PRAGMA query_only = 1")
            raw.create_function("LOWER", 1, str.lower, deterministic=True)  # its own knows only the Latin alphabet
        return connection


class SQLiteConnection:
    def __init__(self, raw: sqlite3.Connection, path: Path, erase: Callable[[], None] | None) -> None:
        self._raw = raw
        self._path = path
        self._erase = erase  # None for readers, and for what cannot be made anew
        self._file = _file_number(path)

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        try:
            return self._raw.execute(sql, parameters).fetchall()
        except sqlite3.DatabaseError as error:
            self._look_for_damage(error)
            raise

    def execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        try:
            self._raw.executemany(sql, rows)
        except sqlite3.DatabaseError as error:
            self._look_for_damage(error)
            raise

    def _look_for_damage(self, error: sqlite3.DatabaseError) -> None:
        if type(error) is sqlite3.DatabaseError:  # anything else has a class of its own
            if self._erase is not None:
                self._erase()
            raise DamagedDatabase(f"{self._path}: {error}") from error

    def transaction(self) -> contextlib.AbstractContextManager[None]:
        return self._between("BEGIN IMMEDIATE")

    def snapshot(self) -> contextlib.AbstractContextManager[None]:
        return self._between("BEGIN")

    @contextlib.contextmanager
    def _between(self, begin: str) -> Iterator[None]:
        self.execute(begin)
        try:
            yield
        except BaseException:
            if self._raw.in_transaction:  # some failures end it themselves
                self._raw.execute("ROLLBACK")
            raise
        self.execute("COMMIT")

    def is_lost(self) -> bool:
        return _file_number(self._path) not in (self._file, None)

    def close(self) -> None:
        self._raw.close()


def _file_number(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


class PostgreSQL:
    kind = "postgresql"
    bytes_type = "BYTEA"
    clustered = ""
    tag_index = "USING hash (tag)"  # other kinds refuse long texts

    def __init__(self, place: DatabasePlace) -> None:
        self._url = place.store_url
        self._schema = place.schema

    def _raw(self) -> Any:
        import psycopg

        return psycopg.connect(self._url, autocommit=True, options=f"-c search_path={self._schema}")

    def exists(self) -> bool:
        with self._raw() as raw:
            found = raw.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (self._schema,)).fetchall()
        return bool(found)

    def erase(self) -> None:
        with self._raw() as raw:
            raw.execute(f"DROP SCHEMA IF EXISTS {self._schema} CASCADE")

    def connect(self, *, write: bool = False) -> PostgreSQLConnection:
        raw = self._raw()
        if write:
            raw.execute(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
        return PostgreSQLConnection(raw)


class PostgreSQLConnection:
    def __init__(self, raw: Any) -> None:
        self._raw = raw

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        cursor = self._raw.execute(sql.replace("?", "%s"), parameters)
        return list(cursor.fetchall()) if cursor.description else []

    def execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        with self._raw.cursor() as cursor:
            cursor.executemany(sql.replace("?", "%s"), rows)

    def transaction(self) -> contextlib.AbstractContextManager[None]:
        return self._between("BEGIN")

    def snapshot(self) -> contextlib.AbstractContextManager[None]:
        return self._between("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    @contextlib.contextmanager
    def _between(self, begin: str) -> Iterator[None]:
        self._raw.execute(begin)
        try:
            yield
        except BaseException:
            if not self._raw.closed:
                self._raw.execute("ROLLBACK")
            raise
        self._raw.execute("COMMIT")

    def is_lost(self) -> bool:
        return bool(self._raw.closed)

    def close(self) -> None:
        self._raw.close()


class ThreadConnections:
    """A connection for each thread that asks, opened when first needed; for reading only unless told otherwise."""

    def __init__(self, database: Database, *, write: bool = False) -> None:
        self._database = database
        self._write = write
        self._local = threading.local()

    def held(self) -> Connection | None:
        """This thread's connection, if it has one that is still good."""
        connection: Connection | None = getattr(self._local, "connection", None)
        return None if connection is None or connection.is_lost() else connection

    def get(self) -> Connection:
        connection = self.held()
        if connection is None:
            self.drop()
            connection = self._local.connection = self._database.connect(write=self._write)
        return connection

    def drop(self) -> None:
        """Forget this thread's connection, so that the next `get` opens a new one."""
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is not None:
            self._local.connection = None
            with contextlib.suppress(Exception):
                connection.close()
