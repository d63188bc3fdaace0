"""The index in PostgreSQL: connections that detect a lost server and reconnect when it is back."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from mindinsight_like.errors import Busy, DatabaseUnavailable, ServiceError, StorageFull
from mindinsight_like.store.database.availability import Availability
from mindinsight_like.store.database.database import DamagedDatabase, DatabaseKind, NoTables, Row
from mindinsight_like.store.database.location import DatabasePlace

_Result = TypeVar("_Result")
_CONNECT_SECONDS = 2  # the least that libpq knows
_SILENT_SECONDS = 2.5  # after which a server that says nothing is asked whether it is there at all
_STATEMENT_SECONDS = 60
_LOADER_STATEMENT_SECONDS = 600
_CHECKSUMS_SECONDS = 60.0
_NETWORK = {
    "connect_timeout": _CONNECT_SECONDS,
    "tcp_user_timeout": 5000,  # milliseconds until what was sent must have arrived
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
}


class PostgreSQL:
    kind: DatabaseKind = "postgresql"
    bytes_type = "BYTEA"
    clustered = ""
    tag_index = "USING hash (tag)"  # other kinds refuse long texts
    by_tag = ""
    tag_order = 'tag COLLATE "C"'
    like = "ILIKE"

    def __init__(self, place: DatabasePlace) -> None:
        self._url = place.store_url
        self._schema = place.schema
        self._is_disposable = place.is_disposable
        self._busy_seconds = place.busy_seconds
        self._availability = _availability(place.store_url)
        self._checksums = (False, 0.0)  # whether there are any, and until when that is believed

    def json_list(self, column: str) -> str:
        return f"json_agg({column} ORDER BY {column})::text"

    def exists(self) -> bool:
        connection = self.connect()
        try:
            return bool(connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", (self._schema,)))
        finally:
            connection.close()

    def erase(self) -> None:
        connection = self.connect(write=True)
        try:
            connection.execute(f"DROP SCHEMA IF EXISTS {self._schema} CASCADE")
        finally:
            connection.close()

    def replace_by(self, other: PostgreSQL) -> None:
        connection = self.connect(write=True)
        try:
            with connection.transaction():
                connection.execute(f"DROP SCHEMA IF EXISTS {self._schema} CASCADE")
                connection.execute(f"ALTER SCHEMA {other._schema} RENAME TO {self._schema}")
        finally:
            connection.close()

    def number(self) -> int:
        return 0

    def has_checksums(self) -> bool:
        has_checksums, expires = self._checksums
        if time.monotonic() < expires:
            return has_checksums
        connection = self.connect()
        try:
            has_checksums = connection.execute("SHOW data_checksums") == [("on",)]
        finally:
            connection.close()
        self._checksums = has_checksums, time.monotonic() + _CHECKSUMS_SECONDS
        return has_checksums

    def connect(self, *, write: bool = False) -> PostgreSQLConnection:
        # The loader may have much to write at once, and nobody waits for its answer.
        is_loader = write and self._is_disposable
        connection = PostgreSQLConnection(partial(self._raw, is_loader), self._availability, write=write)
        if write:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {self._schema}")
        return connection

    def _raw(self, is_loader: bool) -> Any:
        seconds = _LOADER_STATEMENT_SECONDS if is_loader else _STATEMENT_SECONDS
        options = f"-c search_path={self._schema} -c statement_timeout={seconds}s"
        if not self._is_disposable:
            options += f" -c lock_timeout={int(1000 * self._busy_seconds)} -c synchronous_commit=on"
        return _connection_class().connect(self._url, autocommit=True, options=options, **_NETWORK)


@functools.cache
def _availability(store_url: str) -> Availability:
    return Availability()


@functools.cache
def _connection_class() -> Any:
    import psycopg

    class WatchfulConnection(psycopg.Connection[Row]):
        """Notices a server that has gone silent while its answer is waited for; no TCP timeout covers that."""

        def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
            return super().wait(_watched(gen, self._is_server_there), *args, **kwargs)

        def _is_server_there(self) -> bool:
            try:
                psycopg.connect(self.info.dsn, password=self.info.password, connect_timeout=_CONNECT_SECONDS).close()
            except psycopg.Error:
                return False
            return True

    return WatchfulConnection


def _watched(gen: Generator[Any, Any, Any], is_server_there: Callable[[], bool]) -> Generator[Any, Any, Any]:
    """What `gen` does; raises DatabaseUnavailable after a long silence unless the server can still be reached."""
    heard_at = time.monotonic()
    is_trusted = False
    try:
        state = next(gen)
        while True:
            ready = yield state  # false after each of psycopg's short pauses without news
            now = time.monotonic()
            if ready:
                heard_at = now
            elif not is_trusted and now - heard_at > _SILENT_SECONDS:
                if not is_server_there():
                    raise DatabaseUnavailable("The database is not responding.")
                is_trusted = True  # it works on a long statement, for which it has a limit of its own
            state = gen.send(ready)
    except StopIteration as end:
        return end.value


class PostgreSQLConnection:
    """Connects when it is first used, and again when the server was away between two questions."""

    def __init__(self, connect: Callable[[], Any], availability: Availability, *, write: bool) -> None:
        self._connect = connect
        self._availability = availability
        self._is_writing = write
        self._raw: Any = None
        self._is_in_transaction = False
        with self._asking():
            self._raw = connect()

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        with self._asking():
            return self._ask(lambda: self._rows(sql, parameters), may_repeat=not self._is_writing)

    def _rows(self, sql: str, parameters: Sequence[object]) -> list[Row]:
        cursor = self._raw.execute(sql.replace("?", "%s"), parameters)
        return list(cursor.fetchall()) if cursor.description else []

    def execute_many(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        with self._asking(), self._raw.cursor() as cursor:
            cursor.executemany(sql.replace("?", "%s"), rows)

    def _ask(self, question: Callable[[], _Result], *, may_repeat: bool) -> _Result:
        """The answer; a connection that was lost since the last one is made anew, once, where that does no harm."""
        try:
            return question()
        except Exception:
            if not (may_repeat and self._raw.closed) or self._is_in_transaction:
                raise
        self._raw = self._connect()
        return question()

    @contextlib.contextmanager
    def _asking(self) -> Iterator[None]:
        """Around each question: errors as callers know them."""
        import psycopg

        with self._availability.attempt():
            try:
                yield
            except DatabaseUnavailable:
                self.close()  # in the middle of an answer
                raise
            except psycopg.Error as error:
                raise _described(error, is_lost=self._raw is None or self._raw.closed) from error

    def transaction(self) -> contextlib.AbstractContextManager[None]:
        return self._between("BEGIN")

    def snapshot(self) -> contextlib.AbstractContextManager[None]:
        return self._between("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    @contextlib.contextmanager
    def _between(self, begin: str) -> Iterator[None]:
        with self._asking():
            self._ask(lambda: self._raw.execute(begin), may_repeat=True)  # nothing has been done yet
        self._is_in_transaction = True
        try:
            yield
            with self._asking():
                self._raw.execute("COMMIT")
        except BaseException:
            if not self._raw.closed:
                with contextlib.suppress(ServiceError), self._asking():
                    self._raw.execute("ROLLBACK")
            raise
        finally:
            self._is_in_transaction = False

    def tables(self) -> set[str]:
        return {name for (name,) in self.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")}

    def has_table(self, name: str) -> bool:
        # Of our schema only, also while that does not exist.
        return self.execute("SELECT to_regclass(quote_ident(current_schema()) || '.' || ?)", (name,)) != [(None,)]

    @property
    def number(self) -> int:
        return 0

    @property
    def is_busy(self) -> bool:
        return self._is_in_transaction

    def settle(self) -> bool:
        return True

    def is_lost(self) -> bool:
        return bool(self._raw.closed)

    def close(self) -> None:
        if self._raw is not None:
            self._raw.close()


def _described(error: Exception, *, is_lost: bool) -> Exception:
    """An error of psycopg as callers know it."""
    import psycopg

    reason = " ".join(str(error).split())
    if isinstance(error, psycopg.errors.UndefinedTable | psycopg.errors.UndefinedColumn):
        return NoTables(reason)
    if isinstance(error, psycopg.errors.InvalidSchemaName):
        return NoTables(reason)
    if isinstance(error, psycopg.errors.DataCorrupted | psycopg.errors.IndexCorrupted):
        return DamagedDatabase(reason)
    if isinstance(error, psycopg.errors.DiskFull):
        return StorageFull(f"The database cannot save: {reason}.")
    if isinstance(error, psycopg.errors.LockNotAvailable | psycopg.errors.DeadlockDetected):
        return Busy("The database tables are locked by another program; nothing was saved. Try again.")
    if is_lost or isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return DatabaseUnavailable("The database is not responding.", reason=reason)
    return error
