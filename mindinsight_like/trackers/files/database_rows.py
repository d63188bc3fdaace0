"""Rows of trackers' databases: tables are followed by the numbers of their rows, and damage costs only its own rows."""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mindinsight_like.logs.batch import Damage
from mindinsight_like.trackers import cursors
from mindinsight_like.trackers.files.databases import opened
from mindinsight_like.trackers.reader import Log, LogUnreadable, Slice

ERRORS: Final = (sqlite3.DatabaseError, UnicodeDecodeError)  # damaged texts may be part of an error's message
_MOST_VALUE: Final = 64 << 20
_MOST_SECONDS: Final = 20.0  # for one look; queries that take longer come from databases that are made to
_INSTRUCTIONS: Final = 100_000  # of SQLite between two looks at the clock
_PIECE: Final = 4096  # rows
_MOST_TOLD: Final = 20
_MOST_TRIES: Final = 5  # to read what others hold, one after the other

Read = Callable[["Database", Log, dict[str, Any]], Slice]


def read_database(log: Log, readers: Mapping[frozenset[str], Read]) -> Slice:
    """What the first reader brings whose tables the database has; nothing of a database that is none of a tracker's."""
    cursor = cursors.unpack(log.cursor)
    try:
        with opened(log.source, log.name) as connection:
            database = Database(connection)
            for needed, read in readers.items():
                if needed <= database.tables.keys():
                    return _told_once(read(database, log, cursor), database, cursor, log)
            return Slice(log.cursor, log.versions[log.name].size)
    except TimeoutError as error:  # a writer is in the way
        tries = int(cursor.get("tries", 0)) + 1
        if tries > _MOST_TRIES:
            raise LogUnreadable("another process keeps the database locked") from error
        return Slice(cursors.pack(**(cursor | {"tries": tries})), int(cursor.get("position", 0)), is_partial=True)


def _told_once(part: Slice, database: Database, cursor: dict[str, Any], log: Log) -> Slice:
    """The slice with where it ends, and with damage that was not told before."""
    values = cursors.unpack(part.cursor)
    reports = cursor.get("reports", [])
    new = [each for each in database.damage if zlib.crc32(each.message.encode()) not in reports]
    part.damage += new[: _MOST_TOLD - len(reports)]
    values["reports"] = (reports + [zlib.crc32(each.message.encode()) for each in new])[:_MOST_TOLD]
    values["position"] = part.position = min(part.position, log.versions[log.name].size)
    part.cursor = cursors.pack(**values)
    return part


class Database:
    """A snapshot of a database; texts and blobs come as bytes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        end = time.monotonic() + _MOST_SECONDS
        connection.set_progress_handler(lambda: time.monotonic() > end, _INSTRUCTIONS)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE)
        connection.text_factory = bytes
        self._connection = connection
        self.damage: list[Damage] = []
        # Names of columns of each table. What only looks like a table, such as a view, is none.
        batch = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
        ).fetchall()
        self.tables: dict[str, frozenset[str]] = {}
        for (name,) in batch:
            table = as_text(name)
            with suppress(*ERRORS):
                rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
                self.tables[table] = frozenset(as_text(column) for (column,) in rows)

    def columns(self, table: str, *names: str) -> str:
        """Columns to select; those that this version of the tracker did not write yet are NULL."""
        present = self.tables.get(table, frozenset())
        return ", ".join(f'"{name}"' if name in present else "NULL" for name in names)

    def all(self, table: str, *names: str, order: str = "", where: str = "") -> list[tuple[Any, ...]]:
        """These columns of all rows that can be read."""
        if table not in self.tables:
            return []
        query = f'SELECT {self.columns(table, *names)} FROM "{table}"'
        query += f" WHERE {where}" if where else ""
        query += f" ORDER BY {order}" if order else ""
        rows: list[tuple[Any, ...]] = []
        try:
            cursor = self._connection.execute(query)
            while piece := cursor.fetchmany(_PIECE):
                rows += piece
        except ERRORS as error:
            self._note(table, error)
        return rows

    def select(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        return self._connection.execute(query, values).fetchall()

    def is_damaged(self, table: str) -> bool:
        """Whether something of a table could not be read."""
        return any(each.message.startswith(f"table {table}:") for each in self.damage)

    def follow(self, table: str, names: Sequence[str], place: Mapping[str, int] | None, log: Log) -> Followed:
        """The rows of a table that came after a place, in the order in which they were written."""
        start = dict(place or {"row": 0, "mark": 0})
        columns = self.columns(table, *names)
        starts_over = start["row"] > 0 and self._mark(table, columns, start["row"]) != start["mark"]
        last = 0 if starts_over else start["row"]
        end = time.monotonic() + log.limits.seconds
        rows: list[tuple[Any, ...]] = []
        is_partial = False
        while True:
            query = f'SELECT rowid, {columns} FROM "{table}" WHERE rowid > ? ORDER BY rowid LIMIT ?'
            count = min(_PIECE, log.limits.points - len(rows))
            batch: list[tuple[Any, ...]] = []
            try:
                batch.extend(self._connection.execute(query, (last, count)))
            except ERRORS as error:
                self._note(table, error)
                last = batch[-1][0] if batch else last
                rows += batch
                if (after := self._next_row(table, columns, last)) is None:
                    break
                last = after - 1
                continue
            rows += batch
            last = batch[-1][0] if batch else last
            if len(batch) < count:
                break
            if len(rows) >= log.limits.points or time.monotonic() > end:
                is_partial = True
                break
        mark = self._mark(table, columns, rows[-1][0]) if rows else (0 if starts_over else start["mark"])
        row = rows[-1][0] if rows else (0 if starts_over else start["row"])
        return Followed(rows, {"row": row, "mark": mark}, starts_over, is_partial, self._share(table, row, is_partial))

    def _share(self, table: str, row: int, is_partial: bool) -> float:
        if not is_partial:
            return 1.0
        with suppress(*ERRORS):
            (most,) = self.select(f'SELECT max(rowid) FROM "{table}"')[0]
            return row / max(int(most), row, 1)
        return 0.5

    def _mark(self, table: str, columns: str, row: int) -> int:
        """A fingerprint of a row: rows may be numbered anew, and numbers of deleted ones are used again."""
        try:
            batch = self.select(f'SELECT {columns} FROM "{table}" WHERE rowid = ?', (row,))
        except ERRORS:
            return 0
        return zlib.crc32(repr(batch[0]).encode()) if batch else -1

    def _next_row(self, table: str, columns: str, last: int) -> int | None:
        """The first row behind a damaged page that can be read again."""
        step = 1
        while step < 1 << 40:
            query = f'SELECT rowid, {columns} FROM "{table}" WHERE rowid > ? ORDER BY rowid LIMIT 1'
            with suppress(*ERRORS):
                batch = self.select(query, (last + step,))
                return batch[0][0] if batch else None
            step *= 2
        return None

    def _note(self, table: str, error: Exception) -> None:
        if isinstance(error, sqlite3.OperationalError) and "interrupted" in str(error):
            raise error
        message = f"table {table}: rows cannot be read: {str(error)[:200]}"
        if all(each.message != message for each in self.damage):
            self.damage.append(Damage(0, "unparsable", message))


@dataclass
class Followed:
    """Rows of a table that have not been read before, each with its number first."""

    rows: list[tuple[Any, ...]]
    place: dict[str, int]  # for the cursor
    starts_over: bool  # the table is another one: what was read of it before counts no longer
    is_partial: bool
    share: float  # of the table that has been read


class Numbers(dict[Any, int]):
    """Numbers things in the order in which they come."""

    def __missing__(self, key: Any) -> int:
        number = self[key] = len(self)
        return number

    def of(self, things: Sequence[Any]) -> npt.NDArray[np.int64]:
        return np.fromiter(map(self.__getitem__, things), np.int64, len(things))


def as_text(value: Any) -> str:
    """A text of a database, which need not be UTF-8."""
    return value.decode(errors="replace") if isinstance(value, bytes) else "" if value is None else str(value)


def or_none(value: Any) -> str | None:
    """A text of a database, None when there is none."""
    return None if value is None else as_text(value)


def reals(column: Sequence[Any]) -> npt.NDArray[np.float64]:
    """A column of numbers; what is none is NaN."""
    try:
        return np.array(column, np.float64)
    except (ValueError, TypeError, OverflowError):
        return np.array([value if isinstance(value, int | float) else np.nan for value in column], np.float64)


def wholes(column: Sequence[Any]) -> npt.NDArray[np.int64] | None:
    """A column of whole numbers; None when some are none."""
    if not all(map(int.__instancecheck__, column)):
        return None
    return np.array(column, np.int64)
