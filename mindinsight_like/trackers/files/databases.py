"""SQLite databases of trackers: read as they are, without writing anything beside them.

Which way is safe depends on how the database is written. With a write-ahead log, opening a database makes SQLite write
into its shared memory, or even create it: `readonly_shm` keeps it from that while both exist, and without a log there
is nothing but the database itself. A log without shared memory belongs to a writer that was killed, or to a copy; it is
read from a private copy, as is a database whose rollback journal has to be played back.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

from mindinsight_like.trackers.reader import LogUnreadable
from mindinsight_like.trackers.source import FileVersion, Source

_WAIT_SECONDS = 0.2  # for a writer that is about to commit
_MOST_COPIED = 4 * 2**30
_COPIED_AT_ONCE = 16 * 2**20
_WAL_VERSION = 2  # in the header of a database with a write-ahead log
MAGIC = b"SQLite format 3\0"


def database_members(name: str) -> tuple[str, str, str]:
    """The files that make a database; shared memory changes without anything new in them."""
    return name, f"{name}-wal", f"{name}-journal"


def claimed_by_database(name: str) -> frozenset[str]:
    """The names of all files that belong to a database."""
    return frozenset((name, f"{name}-wal", f"{name}-shm", f"{name}-journal"))


@contextlib.contextmanager
def opened(source: Source, name: str) -> Iterator[sqlite3.Connection]:
    """A connection within one transaction, so that all that is read is of one moment.

    Raises LogUnreadable for what is no database, TimeoutError while a writer is in the way, and OSError.
    """
    before = _versions(source, name)
    with contextlib.ExitStack() as stack:
        try:
            connection, is_immutable = _connection(source, name, stack)
            yield connection
        except sqlite3.OperationalError as error:
            if _versions(source, name) != before or _is_busy(error):
                raise TimeoutError(f"a writer is in the way: {error}") from error
            raise LogUnreadable(f"the database cannot be read: {error}") from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # damaged texts may be part of the message
            if _versions(source, name) != before:
                raise TimeoutError(f"it was written to meanwhile: {error}") from error
            raise LogUnreadable(f"the database is damaged: {error}") from error
        if is_immutable and _versions(source, name) != before:
            raise TimeoutError("the database was written to meanwhile")  # pages of two moments may have been read


def _connection(source: Source, name: str, stack: contextlib.ExitStack) -> tuple[sqlite3.Connection, bool]:
    """A connection, and whether it relies on nobody writing meanwhile."""
    head = source.read(name, 0, 20)
    if not head.startswith(MAGIC):
        raise LogUnreadable("it is no SQLite database")
    log, memory, journal = (source.version(f"{name}-{part}") for part in ("wal", "shm", "journal"))
    path = source.local_path(name)
    is_immutable = False
    options = "mode=ro"  # without a write-ahead log readers only lock the database, and SQLite creates nothing
    if path is not None and log is not None and memory is not None and memory.size:
        options = "mode=ro&readonly_shm=1"
    elif path is None or (log is not None and log.size):
        path, options = _copied(source, name, stack), "mode=rw"
    elif _WAL_VERSION in head[18:20]:
        options, is_immutable = "mode=ro&immutable=1", True
    try:
        return stack.enter_context(contextlib.closing(_connect(path, options))), is_immutable
    except sqlite3.OperationalError as error:
        if journal is None or options != "mode=ro" or _is_busy(error):
            raise
    # A writer was killed within a transaction: its journal is played back in a copy.
    return stack.enter_context(contextlib.closing(_connect(_copied(source, name, stack), "mode=rw"))), False


def _connect(path: str, options: str) -> sqlite3.Connection:
    uri = f"file:{urllib.parse.quote(path)}?{options}"
    connection = sqlite3.connect(uri, uri=True, timeout=_WAIT_SECONDS, isolation_level=None)
    try:
        # A hostile database must not run anything, nor take all memory.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _copied(source: Source, name: str, stack: contextlib.ExitStack) -> str:
    """A private copy of a database with its logs, gone when all is read."""
    folder = tempfile.mkdtemp(prefix="mindinsight-like-")
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    before = _versions(source, name)
    if sum(version.size for version in before if version is not None) > _MOST_COPIED:
        raise LogUnreadable("the database has a log that must be applied first, and is too large to be copied")
    target = Path(folder, "database")
    for part in ("", "-wal", "-journal"):
        if source.version(name + part) is not None:
            _copy(source, name + part, Path(f"{target}{part}"))
    if _versions(source, name) != before:
        raise TimeoutError("the database was written to while it was copied")
    return str(target)


def _copy(source: Source, name: str, target: Path) -> None:
    position = 0
    with target.open("wb") as out:
        while block := source.read(name, position, _COPIED_AT_ONCE):
            out.write(block)
            position += len(block)


def _versions(source: Source, name: str) -> list[FileVersion | None]:
    return [source.version(each) for each in database_members(name)]


def _is_busy(error: sqlite3.Error) -> bool:
    return "locked" in str(error) or "busy" in str(error)
