"""One process's way to the index: connections, and statements over any number of keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mindinsight_like.errors import StillLoading
from mindinsight_like.store.database import Connection, Row, ThreadConnections, in_chunks, marks, open_database
from mindinsight_like.store.location import IndexLocation
from mindinsight_like.store.schema import is_current


class Asking:
    """Asks the database of one index; any number of threads may, before and while a loader writes."""

    def __init__(self, location: IndexLocation) -> None:
        self._location = location
        self._database = open_database(location.database)
        self._connections = ThreadConnections(self._database)

    def _connection(self) -> Connection | None:
        """This thread's connection, or None while there is no index yet."""
        connection = self._connections.held()
        if connection is None and self._database.exists():
            connection = self._connections.get()
            if not is_current(connection):
                self._connections.drop()
                return None
        return connection

    def _ask(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        connection = self._connection()
        return [] if connection is None else connection.execute(sql, [*map(_storable, parameters)])

    def _ask_many(self, sql: str, chosen: Iterable[object], *more: object) -> list[Row]:
        """Rows for any number of chosen keys; `{}` in the statement stands for the list of them."""
        rows: list[Row] = []
        for chunk in in_chunks(list(chosen)):
            rows += self._ask(sql.format(marks(chunk)), [*chunk, *more])
        return rows

    def _loaded(self) -> Connection:
        connection = self._connection()
        if connection is None:
            raise StillLoading("the logs are not loaded yet; ask again in a moment")
        return connection


def _storable(parameter: object) -> object:
    """A parameter as databases take it; text that none can hold becomes other text, which is not found."""
    if not isinstance(parameter, str) or (parameter.isascii() and "\0" not in parameter):
        return parameter
    return parameter.encode(errors="surrogatepass").decode(errors="replace").replace("\0", "\ufffd")
