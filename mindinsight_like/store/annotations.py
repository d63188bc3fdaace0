"""What people add to runs and boards: notes, labels, saved views. Kept apart from the index, which is disposable."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from typing import NamedTuple

from mindinsight_like.errors import BadParameter, NotFound
from mindinsight_like.store.database import Connection, ThreadConnections, in_chunks, marks, open_database
from mindinsight_like.store.location import IndexLocation

MOST_NOTE = 20_000  # characters
MOST_LABEL = 100
MOST_LABELS = 100
_MOST_NAME = 200
_MOST_ADDRESS = 200_000

_TABLES = (
    "CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS runs (run TEXT PRIMARY KEY, note TEXT NOT NULL, labels TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS views (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, address TEXT NOT NULL,
        created_at DOUBLE PRECISION NOT NULL, updated_at DOUBLE PRECISION NOT NULL)""",
)


class Annotation(NamedTuple):
    """What people said of a run."""

    note: str = ""
    labels: tuple[str, ...] = ()


class SavedView(NamedTuple):
    """A board as somebody left it."""

    id: str
    name: str
    address: str  # path and query below the service's own address
    created_at: float
    updated_at: float


class Annotations:
    """The annotations of one base dir; any number of processes may read and write them."""

    def __init__(self, location: IndexLocation) -> None:
        place = location.annotations
        self._database = open_database(place)
        self._folder = None if place.store_url else place.sqlite.parent
        self._connections = ThreadConnections(self._database, write=True)
        self._is_there = False

    def version(self) -> int:
        """A number that grows with every change."""
        if not self._exists():
            return 0
        rows = self._connection().execute("SELECT value FROM state WHERE key = 'version'")
        return int(rows[0][0]) if rows else 0

    def of_runs(self, runs: Sequence[str] | None = None) -> dict[str, Annotation]:
        """The annotations of some runs by id, or of all; runs without any are left out."""
        if not self._exists():
            return {}
        connection = self._connection()
        if runs is None:
            rows = connection.execute("SELECT run, note, labels FROM runs")
        else:
            rows = []
            for chunk in in_chunks(runs):
                rows += connection.execute(f"SELECT run, note, labels FROM runs WHERE run IN ({marks(chunk)})", chunk)
        return {run: Annotation(note, tuple(json.loads(labels))) for run, note, labels in rows}

    def annotate(self, run: str, *, note: str | None = None, labels: Sequence[str] | None = None) -> Annotation:
        """Set what is given of a run's annotation; raises BadParameter for what is too long."""
        if note is not None and len(note) > MOST_NOTE:
            raise BadParameter(f"A note has at most {MOST_NOTE:,} characters.", parameter="note")
        cleaned = None if labels is None else _cleaned(labels)
        connection = self._connection()
        with connection.transaction():
            rows = connection.execute("SELECT note, labels FROM runs WHERE run = ?", (run,))
            old_note, old_labels = (rows[0][0], tuple(json.loads(rows[0][1]))) if rows else ("", ())
            new = Annotation(old_note if note is None else _clean(note), old_labels if cleaned is None else cleaned)
            if new == Annotation():
                connection.execute("DELETE FROM runs WHERE run = ?", (run,))
            else:
                connection.execute(
                    "INSERT INTO runs (run, note, labels) VALUES (?, ?, ?)"
                    " ON CONFLICT (run) DO UPDATE SET note = excluded.note, labels = excluded.labels",
                    (run, new.note, json.dumps(new.labels, ensure_ascii=False)),
                )
            self._count(connection)
        return new

    def views(self) -> list[SavedView]:
        """All saved views, the newest first."""
        if not self._exists():
            return []
        rows = self._connection().execute(
            "SELECT id, name, address, created_at, updated_at FROM views ORDER BY updated_at DESC"
        )
        return [SavedView(*row) for row in rows]

    def save_view(self, name: str, address: str, view: str | None = None) -> SavedView:
        """Keep a view under a name, a new one or in the place of one; raises BadParameter, NotFound."""
        name = _clean(name)
        if not name or len(name) > _MOST_NAME:
            raise BadParameter(f"A view needs a name of at most {_MOST_NAME} characters.", parameter="name")
        # Links to other places would make this a way to lead people astray.
        if not address.startswith("/") or address.startswith(("//", "/\\")) or len(address) > _MOST_ADDRESS:
            raise BadParameter("The address of a view is a path below this service.", parameter="address")
        now = time.time()
        connection = self._connection()
        with connection.transaction():
            if view is None:
                saved = SavedView(secrets.token_urlsafe(9), name, address, now, now)
                connection.execute("INSERT INTO views VALUES (?, ?, ?, ?, ?)", saved)
            else:
                rows = connection.execute("SELECT created_at FROM views WHERE id = ?", (view,))
                if not rows:
                    raise NotFound("there is no such view, or no longer")
                saved = SavedView(view, name, address, rows[0][0], now)
                connection.execute(
                    "UPDATE views SET name = ?, address = ?, updated_at = ? WHERE id = ?", (name, address, now, view)
                )
            self._count(connection)
        return saved

    def delete_view(self, view: str) -> None:
        """Forget a view; raises NotFound."""
        connection = self._connection()
        with connection.transaction():
            if not connection.execute("SELECT 1 FROM views WHERE id = ?", (view,)):
                raise NotFound("there is no such view, or no longer")
            connection.execute("DELETE FROM views WHERE id = ?", (view,))
            self._count(connection)

    def _exists(self) -> bool:
        """Whether anybody has ever added anything; reading makes no database."""
        self._is_there = self._is_there or self._database.exists()
        return self._is_there

    def _connection(self) -> Connection:
        connection = self._connections.held()
        if connection is None:
            if self._folder is not None:
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            connection = self._connections.get()
            for table in _TABLES:
                connection.execute(table)
        return connection

    def _count(self, connection: Connection) -> None:
        connection.execute(
            "INSERT INTO state (key, value) VALUES ('version', 1)"
            " ON CONFLICT (key) DO UPDATE SET value = state.value + 1"
        )


def _cleaned(labels: Sequence[str]) -> tuple[str, ...]:
    found = tuple(label for label in dict.fromkeys(map(_clean, labels)) if label)
    if len(found) > MOST_LABELS or any(len(label) > MOST_LABEL for label in found):
        raise BadParameter(f"At most {MOST_LABELS} labels of {MOST_LABEL} characters each.", parameter="labels")
    return found


def _clean(text: str) -> str:
    """Without blanks around it, and without the one character that databases refuse."""
    return text.replace("\0", "").strip()
