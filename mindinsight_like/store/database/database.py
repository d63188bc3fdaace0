"""Common interface to SQLite and PostgreSQL: connections, parameters, transactions, and SQL in their common subset.

An object-relational toolkit would cost more CPU to import than reading four million points does, and the store
needs a handful of statements; so the drivers are used directly. Statements are written once, with `?` for
parameters, in the common subset of both databases.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from mindinsight_like.errors import StorageFull
from mindinsight_like.store.database.location import DatabasePlace
from mindinsight_like.store.database.pages import address_of, make_empty

Row = tuple[Any, ...]
_PARAMETERS_AT_ONCE = 500  # far below both databases' limits


class DamagedDatabase(Exception):
    """What was read of the database is not what was written, or a table is missing."""


class NoTables(DamagedDatabase):
    """A table or column is missing that has been there."""


DatabaseKind = Literal["sqlite", "postgresql"]


class Connection(Protocol):
    """One thread's connection."""

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]: ...

    def execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None: ...

    def transaction(self) -> contextlib.AbstractContextManager[None]:
        """All or nothing for writers."""

    def snapshot(self) -> contextlib.AbstractContextManager[None]:
        """One consistent view over several reads."""

    def has_table(self, name: str) -> bool: ...

    def tables(self) -> set[str]:
        """The names of all tables, as they are at one moment."""

    @property
    def number(self) -> int:
        """That of the database it was opened to; see `Database`."""

    @property
    def is_busy(self) -> bool:
        """Whether a transaction has begun."""

    def settle(self) -> bool:
        """Bring all that was committed into the database itself; whether everything is there now."""

    def is_lost(self) -> bool:
        """Whether a new connection is needed: the server has gone away, or the file was replaced."""

    def close(self) -> None: ...


class Database(Protocol):
    kind: DatabaseKind
    bytes_type: str
    clustered: str  # table suffix that stores rows in the order of the primary key, where there is one
    tag_index: str  # what finds series by their tag, which may be of any length
    by_tag: str  # hint that the index of tags is the way to find series, which one of them takes for too long a way
    tag_order: str  # tags in the order of their characters' numbers, whatever the language of the database
    like: str  # comparison with a pattern that takes upper and lower case of Latin letters for the same

    def json_list(self, column: str) -> str:
        """Expression that makes a JSON text of all values of a column in a group."""

    def connect(self, *, write: bool = False) -> Connection: ...

    def exists(self) -> bool: ...

    def erase(self) -> None:
        """Forget everything: the index is disposable."""

    def replace_by(self, other: Any) -> None:
        """Take the content of another one, which nobody has opened and which is no more after that."""

    def number(self) -> int:
        """Another one for each database at the same place, where that can be told; else 0."""

    def has_checksums(self) -> bool:
        """Whether pages that are read from the disk are verified."""


def open_database(place: DatabasePlace) -> Database:
    if not place.store_url:
        return SQLite(place)
    from mindinsight_like.store.database.postgresql import PostgreSQL  # most services need none

    return PostgreSQL(place)


def in_chunks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Slices short enough to be the parameters of one statement."""
    for start in range(0, len(items), _PARAMETERS_AT_ONCE):
        yield items[start : start + _PARAMETERS_AT_ONCE]


def marks(items: Sequence[object]) -> str:
    """The placeholders of an IN list."""
    return ", ".join("?" * len(items))


class SQLite:
    kind: DatabaseKind = "sqlite"
    bytes_type = "BLOB"
    clustered = "WITHOUT ROWID"
    tag_index = "(file, kind, tag)"
    by_tag = " INDEXED BY series_by_tag"
    tag_order = "tag"
    like = "LIKE"

    def __init__(self, place: DatabasePlace) -> None:
        self._path = place.sqlite
        self._busy_seconds = place.busy_seconds
        self._is_disposable = place.is_disposable

    def json_list(self, column: str) -> str:
        return f"json_group_array({column})"  # in the order of the index that is read

    def exists(self) -> bool:
        # Never by a look into the file: closing a descriptor of it drops the locks of all connections in this process,
        # and another process would then take them for gone and delete the log that they read.
        return self._path.exists()

    def erase(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def replace_by(self, other: SQLite) -> None:
        self.erase()  # its log goes, too: it would be applied to the other file
        other._path.replace(self._path)
        other.erase()

    def number(self) -> int:
        return _file_number(self._path) or 0

    def has_checksums(self) -> bool:
        return self._is_disposable and "vfs=" in address_of(self._path)

    def connect(self, *, write: bool = False) -> SQLiteConnection:
        if not write:
            return self._reading()
        if self._is_disposable and not self.exists():
            self.erase()
            make_empty(self._path)
        raw = self._open()
        connection = SQLiteConnection(raw, self._path)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA wal_autocheckpoint = 2000")  # pages: 64 MB
            # Readers see every commit of a killed process; only a power cut may lose the last ones, and then
            # the file positions go with the data, so those bytes are simply read again.
            connection.execute(f"PRAGMA synchronous = {'NORMAL' if self._is_disposable else 'FULL'}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _open(self, options: str = "") -> sqlite3.Connection:
        # Pages of what cannot be made anew have no checksums: they would only keep people from what is left of it.
        address = address_of(self._path) if self._is_disposable else self._path.absolute().as_uri()
        address += ("&" if "?" in address else "?") + options if options else ""
        try:
            return sqlite3.connect(
                address, uri=True, isolation_level=None, timeout=self._busy_seconds, check_same_thread=False
            )
        except sqlite3.DatabaseError as error:
            if type(error) is sqlite3.DatabaseError:
                raise DamagedDatabase(f"{self._path}: {error}") from error
            raise

    def _reading(self) -> SQLiteConnection:
        raw = self._open()
        is_frozen = False
        try:
            raw.execute("PRAGMA schema_version")
        except sqlite3.DatabaseError as error:
            # The first reader of a database in WAL mode has to make a small file beside it. Where there is no room
            # for that, nobody writes either, so the database may be read as it lies there. All other troubles (it
            # is damaged, or being made at this moment) are met again by the first statement.
            if _is_full(error, self._path) and not _size(_wal(self._path)):
                raw.close()
                raw = self._open("immutable=1")
                is_frozen = True
        connection = SQLiteConnection(raw, self._path, is_frozen=is_frozen)
        raw.execute("PRAGMA query_only = 1")
        raw.create_function("LOWER", 1, str.lower, deterministic=True)  # its own knows only the Latin alphabet
        return connection


class SQLiteConnection:
    def __init__(self, raw: sqlite3.Connection, path: Path, *, is_frozen: bool = False) -> None:
        self._raw = raw
        self._path = path
        self._file = _file_number(path)
        # Of a file that is read without its lock and log, as nobody could write when it was opened.
        self._frozen = _fingerprint(path) if is_frozen else None

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        try:
            return self._raw.execute(sql, parameters).fetchall()
        except sqlite3.DatabaseError as error:
            raise self._described(error) from error

    def execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        try:
            self._raw.executemany(sql, rows)
        except sqlite3.DatabaseError as error:
            raise self._described(error) from error

    def _described(self, error: sqlite3.DatabaseError) -> Exception:
        """The error as callers know it."""
        # Anything but a page that is not as it was written has a class of its own.
        if type(error) is sqlite3.DatabaseError:
            return DamagedDatabase(f"{self._path}: {error}")
        if str(error).startswith(("no such table", "no such column")):
            return NoTables(f"{self._path}: {error}")
        if _is_full(error, self._path):
            return StorageFull(f"Cannot write to {self._path.parent}: the disk is full.")
        return error

    def transaction(self) -> contextlib.AbstractContextManager[None]:
        return self._between("BEGIN IMMEDIATE")

    def snapshot(self) -> contextlib.AbstractContextManager[None]:
        return self._between("BEGIN")

    @contextlib.contextmanager
    def _between(self, begin: str) -> Iterator[None]:
        self.execute(begin)
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            if self._raw.in_transaction:  # some failures end it themselves
                self._raw.execute("ROLLBACK")
            raise

    def tables(self) -> set[str]:
        return {name for (name,) in self.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def has_table(self, name: str) -> bool:
        return bool(self.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)))

    @property
    def number(self) -> int:
        return self._file or 0

    @property
    def is_busy(self) -> bool:
        return self._raw.in_transaction

    def settle(self) -> bool:
        ((is_busy, in_log, moved),) = self.execute("PRAGMA wal_checkpoint(PASSIVE)")
        return not is_busy and in_log == moved

    def is_lost(self) -> bool:
        if self._raw.in_transaction:  # what was begun is ended with the file it was begun with
            return False
        if self._frozen is not None:
            return _fingerprint(self._path) != self._frozen
        return _file_number(self._path) not in (self._file, None)

    def close(self) -> None:
        self._raw.close()


def _is_full(error: sqlite3.DatabaseError, path: Path) -> bool:
    """Whether a statement failed for want of room; also of room below a limit of the process or the user."""
    if not isinstance(error, sqlite3.OperationalError):
        return False
    message = str(error)  # Python 3.10 does not know the codes
    if "disk is full" in message:
        return True
    if "disk I/O error" not in message and "unable to open" not in message:
        return False
    try:
        trial = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
        with trial.open("wb") as file:
            file.write(bytes(65536))
    except OSError as trouble:
        return trouble.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    finally:
        with contextlib.suppress(OSError):
            trial.unlink()
    return False


def _wal(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _fingerprint(path: Path) -> object:
    """What changes when somebody has written to a database or begins to."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size, _size(_wal(path))


def _file_number(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None


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
