"""Connection of one process to the index: connections per thread, and statements over any number of keys."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence

from mindinsight_like.errors import Rebuilding, StillLoading
from mindinsight_like.store.database import versions
from mindinsight_like.store.database.database import (
    Connection,
    DamagedDatabase,
    Row,
    ThreadConnections,
    in_chunks,
    marks,
    open_database,
)
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.database.schema import is_current
from mindinsight_like.store.repairs import Repairs


class IndexConnection:
    """Asks the database of one index; any number of threads may, before and while a loader writes."""

    def __init__(self, location: IndexLocation) -> None:
        self.location = location
        self.database = open_database(location.database)
        self.repairs = Repairs(location.repairs)
        self._connections = ThreadConnections(self.database)

    def current(self) -> Connection | None:
        """This thread's connection, or None while there is no index yet; raises Rebuilding."""
        connection = self._connections.held()
        if connection is not None:
            return connection
        number = self.database.number()
        try:
            if self.database.exists():
                connection = self._connections.get()
                if is_current(connection):
                    versions.check(self.location, connection)
                    return connection
                self._connections.drop()
            elif versions.has_been(self.location):
                raise DamagedDatabase("the database is missing")
        except DamagedDatabase as error:
            self._connections.drop()
            raise self._damaged(number) from error
        if self.location.rebuilding.folder.is_dir():
            raise Rebuilding("The index is being rebuilt from the logs; try again in a moment.")
        return None

    def check(self) -> None:
        """Raise unless the index can be read: StillLoading while there is none, or what is wrong with it."""
        self.loaded().execute("SELECT value FROM meta WHERE key = 'version'")

    def query(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        connection = self.current()
        if connection is None:
            return []
        try:
            return connection.execute(sql, [*map(_storable, parameters)])
        except DamagedDatabase as error:
            raise self._damaged(connection.number) from error

    def refuse_damaged(self, files: Iterable[int]) -> None:
        """Raises Rebuilding when one of these log files is being read again, as what is there of it is damaged."""
        if not self.repairs.files().isdisjoint(files):
            raise Rebuilding("This part of the index is being rebuilt from its log; try again in a moment.")

    def _damaged(self, number: int) -> Rebuilding:
        """What to answer after the database has turned out to be damaged; the loader hears of it."""
        self.repairs.request_database(number)
        return Rebuilding("Part of the index is damaged and is being rebuilt from the logs; try again in a moment.")

    def query_many(self, sql: str, chosen: Iterable[object], *more: object) -> list[Row]:
        """Rows for any number of chosen keys; `{}` in the statement stands for the list of them."""
        rows: list[Row] = []
        for chunk in in_chunks(list(chosen)):
            rows += self.query(sql.format(marks(chunk)), [*chunk, *more])
        return rows

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """One consistent view over several questions, also when it is asked for inside another one.

        Ids of files are those of one database, and it may be replaced at any moment.
        """
        connection = self.current()
        if connection is None or connection.is_busy:
            yield
        else:
            with connection.snapshot():
                yield

    def loaded(self) -> Connection:
        connection = self.current()
        if connection is None:
            raise StillLoading("the logs are not loaded yet; try again in a moment")
        return connection


def _storable(parameter: object) -> object:
    """A parameter as databases take it; text that none can hold becomes other text, which is not found."""
    if not isinstance(parameter, str) or (parameter.isascii() and "\0" not in parameter):
        return parameter
    return parameter.encode(errors="surrogatepass").decode(errors="replace").replace("\0", "\ufffd")
