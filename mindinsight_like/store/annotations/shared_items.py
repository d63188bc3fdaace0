"""Things that a team sets for all: column sets, the main metric, rules of fields. Kept beside saved views.

They are rows of the table of views whose ids begin with their kind, so backups, boards that move and checksums hold for
them as for views. Lists of views are without them.
"""

from __future__ import annotations

import json
import secrets
import time
from typing import Any, Final, NamedTuple

from mindinsight_like.errors import BadParameter, Conflict, NotFound
from mindinsight_like.store.annotations.annotations import Annotations
from mindinsight_like.store.annotations.run_rows import lock_board, set_version
from mindinsight_like.store.annotations.tables import insert, select
from mindinsight_like.store.database.database import Connection, Row

MOST_ITEM_NAME: Final = 200  # characters
_MOST_CONTENT = 200_000
_MOST_ITEMS = 500  # of one kind

_NO_ROWS: list[Row] = []


class SharedItem(NamedTuple):
    id: str
    name: str
    content: dict[str, Any]
    updated_at: float
    version: int


class SharedItems:
    """Items of one kind; any number of processes may read and write them."""

    def __init__(self, annotations: Annotations, kind: str) -> None:
        self._annotations = annotations
        self._prefix = f"{kind}:"

    def version(self) -> int:
        """A number that grows with every change of the board's user data."""
        return self._annotations.version()

    def all(self) -> list[SharedItem]:
        """All of them, by name; of several with one name, as two boards that became one may have, the newest."""
        database = self._annotations.database

        def ask(connection: Connection) -> list[Row]:
            where = "WHERE board = ? ORDER BY updated_at"
            return select(connection, "views", where, (self._annotations.board(connection),), tell=database.tell_damage)

        items = (_item(row) for row in database.ask(ask, _NO_ROWS) if str(row[1]).startswith(self._prefix))
        return sorted({item.name: item for item in items}.values(), key=lambda item: item.name)

    def put(self, name: str, content: dict[str, Any], *, version: int | None = 0) -> SharedItem:
        """Save an item under its name, in the place of one of that name; raises BadParameter, Conflict."""
        clean = " ".join(name.encode(errors="replace").decode().replace("\0", "").split())
        text = json.dumps(content, ensure_ascii=False)
        if not clean or len(clean) > MOST_ITEM_NAME:
            raise BadParameter(f"A name of at most {MOST_ITEM_NAME} characters is needed.", parameter="name")
        if len(text) > _MOST_CONTENT:
            raise BadParameter(f"At most {_MOST_CONTENT:,} characters can be saved.", parameter="name")
        with self._annotations.database.writing() as connection:
            board = self._annotations.board(connection)
            new_version = lock_board(connection, board)
            old = self._stored(connection, board)
            same = [item for item in old if item.name == clean]
            if same and version not in (None, same[-1].version):
                raise _conflict(same[-1], yours=content)
            if not same and len(old) >= _MOST_ITEMS:
                raise BadParameter(f"At most {_MOST_ITEMS} can be saved.", parameter="name")
            for item in same:
                connection.execute("DELETE FROM views WHERE board = ? AND id = ?", (board, item.id))
            now = time.time()
            saved = SharedItem(self._prefix + secrets.token_urlsafe(9), clean, content, now, new_version)
            insert(connection, "views", [(board, saved.id, clean, text, new_version, now, now)])
            set_version(connection, board, new_version)
        return saved

    def delete(self, name: str, *, version: int | None = None) -> None:
        """Delete the item of a name; raises NotFound, Conflict."""
        with self._annotations.database.writing() as connection:
            board = self._annotations.board(connection)
            new_version = lock_board(connection, board)
            same = [item for item in self._stored(connection, board) if item.name == name]
            if not same:
                raise NotFound("nothing is saved under this name")
            if version not in (None, same[-1].version):
                raise _conflict(same[-1], yours=None)
            for item in same:
                connection.execute("DELETE FROM views WHERE board = ? AND id = ?", (board, item.id))
            set_version(connection, board, new_version)

    def _stored(self, connection: Connection, board: str) -> list[SharedItem]:
        rows = select(connection, "views", "WHERE board = ? ORDER BY updated_at", (board,))
        return [_item(row) for row in rows if str(row[1]).startswith(self._prefix)]


def _conflict(current: SharedItem, *, yours: dict[str, Any] | None) -> Conflict:
    conflict = {"field": current.name, "yours": yours, "current": current.content, "version": current.version}
    return Conflict("Someone else has changed this since you opened it.", conflicts=[conflict])


def _item(row: Row) -> SharedItem:
    _, item, name, text, version, _, updated_at = row
    content = json.loads(text)
    return SharedItem(item, name, content if isinstance(content, dict) else {}, updated_at, version)
