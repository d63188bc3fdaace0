"""Connections to a workspace's user data: readers never block, writers wait only briefly for the lock."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from mindinsight_like.errors import Busy, ServiceError, StorageFull
from mindinsight_like.store.annotations import tables
from mindinsight_like.store.annotations.tables import UserDataUnusable
from mindinsight_like.store.database.database import (
    Connection,
    DamagedDatabase,
    NoTables,
    ThreadConnections,
    open_database,
)
from mindinsight_like.store.database.location import IndexLocation

_Answer = TypeVar("_Answer")

log = logging.getLogger(__name__)


class UserDatabase:
    """The user data of all boards of a workspace, or of a PostgreSQL database; any number of threads may use it."""

    def __init__(self, location: IndexLocation) -> None:
        place = location.user_data
        self._database = open_database(place)
        self._file = None if place.store_url else place.sqlite
        self._legacy_folder = location.legacy_annotations
        self._backups = location.backups
        self._writers = ThreadConnections(self._database, write=True)
        self._readers = ThreadConnections(self._database)
        self._has_no_legacy = False  # it never appears later
        self._damage = ""  # told when it was met; other pages of the database may be readable
        self._last_trouble = ""

    @property
    def kind(self) -> str:
        return self._database.kind

    def problem(self) -> str:
        """Why nothing can be read, as a sentence; empty when it can."""
        try:
            connection = self._open()
            if connection is not None and self._damage:
                for table in tables.CHECKED:
                    tables.select(connection, table)
                self._damage = ""  # restored meanwhile
        except UserDataUnusable as error:
            return str(error)
        except DamagedDatabase as error:
            return str(tables.damaged(error, self._backups))
        return ""

    def ask(self, question: Callable[[Connection], _Answer], nothing: _Answer) -> _Answer:
        """What a question finds in the database; `nothing` while there is nothing to read."""
        connection = self.reading()
        if connection is None:
            return nothing
        try:
            return question(connection)
        except NoTables:  # dropped by somebody
            self._readers.drop()
            return nothing
        except DamagedDatabase as error:
            self._readers.drop()
            self.tell_damage(error)
            return nothing

    def tell_damage(self, error: DamagedDatabase) -> None:
        """Note that something cannot be read, for the log and for `problem`."""
        self._damage = str(tables.damaged(error, self._backups))
        self._complain(self._damage)

    def reading(self) -> Connection | None:
        """This thread's connection for reading, which never writes; None while there is nothing to read.

        User data that cannot be used is told by `problem` and by every save; runs are shown without it meanwhile.
        """
        try:
            connection = self._open()
        except UserDataUnusable as error:
            self._complain(str(error))
            return None
        return connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction; raises Busy while somebody else holds the database, StorageFull, UserDataUnusable."""
        try:
            connection = self._writer()
            with connection.transaction():
                yield connection
        except DamagedDatabase as error:
            raise tables.damaged(error, self._backups) from error
        except Exception as error:
            raise _described(error) from error

    def _open(self) -> Connection | None:
        connection = self._readers.held()
        if connection is not None:
            return connection
        try:
            if not self._database.exists() and not self._take_over():
                return None
            connection = self._readers.get()
            version = tables.schema_version(connection)
            if version is None and not self._take_over():
                self._readers.drop()
                return None
            if version is not None and version != tables.SCHEMA_VERSION:
                tables.check(version)
                if not self._upgraded():
                    self._readers.drop()
                    return None
            return connection
        except DamagedDatabase as error:
            self._readers.drop()
            raise tables.damaged(error, self._backups) from error
        except UserDataUnusable:
            self._readers.drop()
            raise

    def _take_over(self) -> bool:
        """Import what an earlier release left, if it did; False while there is nothing to read."""
        if self._has_no_legacy:
            return False
        # With PostgreSQL a connection is needed to look; it makes the schema only when something is found.
        looking = self._database.connect() if self._database.kind == "postgresql" else None
        try:
            if not tables.has_legacy(self._database, looking, self._legacy_folder):
                self._has_no_legacy = True
                return False
        finally:
            if looking is not None:
                looking.close()
        return self._upgraded()

    def _upgraded(self) -> bool:
        """Bring the tables up to date; False when that is not possible now, as on a full disk."""
        try:
            with self.writing():
                return True
        except (StorageFull, Busy) as error:
            self._complain(f"cannot take over notes and views of an earlier version: {error}")
            return False

    def _writer(self) -> Connection:
        connection = self._writers.held()
        if connection is not None:
            return connection
        is_new = False
        if self._file is not None:
            is_new = not self._file.exists()
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            connection = self._connected()
            tables.prepare(self._database, connection, self._legacy_folder)
        except BaseException:
            self._writers.drop()  # the next one makes the tables
            raise
        if is_new and self._file is not None:
            sync_folder(self._file.parent)
            sync_folder(self._file.parent.parent)
        return connection

    def _connected(self) -> Connection:
        try:
            return self._writers.get()
        except Exception as error:
            # Two processes made the schema at once; the second finds it made.
            if type(error).__name__ not in ("UniqueViolation", "DuplicateSchema"):
                raise
            return self._writers.get()

    def _complain(self, trouble: str) -> None:
        """Log a trouble that may last for days once."""
        if trouble != self._last_trouble:
            self._last_trouble = trouble
            log.error("%s", trouble)


def _described(error: Exception) -> Exception:
    """The error as clients know it."""
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, OSError):
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return StorageFull("Cannot save: the disk of the workspace is full.")
        return UserDataUnusable(f"Notes, labels and views cannot be saved: {error}.")
    if isinstance(error, sqlite3.OperationalError):
        if "locked" in str(error):
            return Busy("Notes, labels and views are locked by another program; nothing was saved. Try again.")
        if "readonly" in str(error) or "unable to open" in str(error):
            return UserDataUnusable(f"Notes, labels and views cannot be saved: {error}.")
    return error


def sync_folder(folder: Path) -> None:
    """Make names of new files in a folder outlast a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
