"""Boards: the user data that a base dir shows. A folder that was moved is offered the data of the matching board."""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mindinsight_like.errors import NotFound
from mindinsight_like.logs.paths import to_path, to_text
from mindinsight_like.store.annotations.access import UserDatabase
from mindinsight_like.store.annotations.run_rows import lock_board, set_version
from mindinsight_like.store.annotations.run_settings import RunSettings, from_row, store
from mindinsight_like.store.annotations.tables import insert, select
from mindinsight_like.store.database.database import Connection
from mindinsight_like.store.database.location import IndexLocation


@dataclass(frozen=True)
class Board:
    """A board and how much user data it has."""

    id: str
    base_dirs: tuple[str, ...]  # folders that belong to it, as far as known; the data of old releases has none
    notes: int
    labelled: int  # runs with labels
    views: int
    arranged: int = 0  # runs with a name, colour or owner, archived or hidden

    @property
    def is_empty(self) -> bool:
        return not (self.notes or self.labelled or self.views or self.arranged)


@dataclass(frozen=True)
class Offer:
    """A board whose runs are those of this folder."""

    board: Board
    same_runs: int  # runs of this folder that the board knows
    runs: int  # of this folder
    is_checked: bool  # the first bytes of logs were compared; else the names of runs alone


class Boards:
    """Which board a base dir belongs to; any number of processes may ask and change it."""

    def __init__(self, location: IndexLocation, named: str = "", database: UserDatabase | None = None) -> None:
        self._database = database or UserDatabase(location)
        self._base_dir = to_text(str(location.base_dir))
        self._origin = location.origin
        self._named = named

    @property
    def database(self) -> UserDatabase:
        return self._database

    def current(self) -> Board:
        """The board of this base dir."""
        empty = Board(self._named or self._origin, (self._base_dir,), 0, 0, 0)
        return self._database.ask(lambda connection: _board(connection, self._id(connection)), empty)

    def all(self) -> list[Board]:
        """Every board with user data, by id."""

        def ask(connection: Connection) -> list[Board]:
            return [_board(connection, board) for (board,) in connection.execute("SELECT id FROM boards ORDER BY id")]

        none: list[Board] = []
        return [board for board in self._database.ask(ask, none) if not board.is_empty]

    def offer(self) -> Offer | None:
        """The board that this folder was found to look like, unless it was declined or a board was named."""

        def ask(connection: Connection) -> Offer | None:
            rows = connection.execute(
                "SELECT board, same_runs, runs, is_checked FROM offers WHERE origin = ? AND NOT EXISTS"
                " (SELECT 1 FROM declined WHERE declined.origin = offers.origin AND declined.board = offers.board)",
                (self._origin,),
            )
            if not rows:
                return None
            board = _board(connection, rows[0][0])
            return None if board.is_empty else Offer(board, rows[0][1], rows[0][2], bool(rows[0][3]))

        return None if self._named else self._database.ask(ask, None)

    def use(self, board: str) -> None:
        """Let this folder belong to a board; what the folder had itself is added to it. Raises NotFound."""
        with self._database.writing() as connection:
            if "\0" in board or not connection.execute("SELECT 1 FROM boards WHERE id = ?", (board,)):
                raise NotFound("board not found", board=board)
            version = lock_board(connection, board)
            own = self._own(connection)
            self._leave_moved(connection, board)
            if own != board and not self._others(connection, own):
                _merge(connection, own, board)
            self._belong(connection, board)
            set_version(connection, board, version)

    def decline(self, board: str) -> None:
        """Do not offer a board to this folder again."""
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO declined (origin, board) VALUES (?, ?) ON CONFLICT (origin, board) DO NOTHING",
                (self._origin, board),
            )

    def claim(self) -> str:
        """Let this folder belong to the board it was started with; returns the id of the board it leaves with data.

        A board of that name that is not there yet is the folder's own under a new name. Empty: nothing is left behind.
        """
        connection = self._database.reading()
        if connection is not None and self._own(connection) == self._named:
            return ""
        with self._database.writing() as connection:
            own = self._own(connection)
            is_new = not connection.execute("SELECT 1 FROM boards WHERE id = ?", (self._named,))
            version = lock_board(connection, self._named)
            is_left = not _board(connection, own).is_empty
            if is_new and not self._others(connection, own):
                _merge(connection, own, self._named)
                set_version(connection, self._named, version)
                is_left = False
            self._belong(connection, self._named)
        return own if is_left else ""

    def offered(self, offers: Sequence[Offer]) -> None:
        """Note the best of the boards that this folder looks like."""
        rows = [(each.board.id, each.same_runs, each.runs, int(each.is_checked)) for each in offers[:1]]
        connection = self._database.reading()
        query = "SELECT board, same_runs, runs, is_checked FROM offers WHERE origin = ?"
        if connection is None or connection.execute(query, (self._origin,)) == rows:
            return
        with self._database.writing() as writer:
            writer.execute("DELETE FROM offers WHERE origin = ?", (self._origin,))
            writer.execute_many(
                "INSERT INTO offers (origin, board, same_runs, runs, is_checked) VALUES (?, ?, ?, ?, ?)",
                [(self._origin, *row) for row in rows],
            )

    def note_folder(self) -> None:
        """Remember where the board's folder is, for the day it is somewhere else."""
        connection = self._database.reading()
        if connection is None:
            return
        rows = connection.execute("SELECT board, base_dir, host FROM folders WHERE origin = ?", (self._origin,))
        if rows != [(self._id(connection), self._base_dir, socket.gethostname())]:
            with self._database.writing() as writer:
                self._belong(writer, self._id(writer))

    def candidates(self) -> list[Board]:
        """Boards with user data that may be offered to this folder."""
        connection = self._database.reading()
        if connection is None or self._named:
            return []
        own = self._own(connection)
        declined = {
            board for (board,) in connection.execute("SELECT board FROM declined WHERE origin = ?", (self._origin,))
        }
        others = [board for board in self.all() if board.id != own and board.id not in declined]
        if _board(connection, own).is_empty:
            return others
        # A folder with data of its own may be a copy that goes its own way; only who has moved is missing something.
        return [board for board in others if board.base_dirs and not any(_is_there(each) for each in board.base_dirs)]

    def _id(self, connection: Connection) -> str:
        return self._named or self._own(connection)

    def _own(self, connection: Connection) -> str:
        rows = connection.execute("SELECT board FROM folders WHERE origin = ?", (self._origin,))
        return str(rows[0][0]) if rows else self._origin

    def _others(self, connection: Connection, board: str) -> bool:
        """Whether other folders belong to a board, too."""
        return bool(connection.execute("SELECT 1 FROM folders WHERE board = ? AND origin <> ?", (board, self._origin)))

    def _belong(self, connection: Connection, board: str) -> None:
        connection.execute("DELETE FROM folders WHERE origin = ?", (self._origin,))
        connection.execute(
            "INSERT INTO folders (origin, board, base_dir, host) VALUES (?, ?, ?, ?)",
            (self._origin, board, self._base_dir, socket.gethostname()),
        )
        connection.execute("DELETE FROM offers WHERE origin = ?", (self._origin,))

    def _leave_moved(self, connection: Connection, board: str) -> None:
        """Folders of a board that are no more begin anew, should others come in their place."""
        rows = connection.execute(
            "SELECT origin, base_dir FROM folders WHERE board = ? AND host = ? AND origin <> ?",
            (board, socket.gethostname(), self._origin),
        )
        for origin, base_dir in rows:
            if not _is_there(base_dir):
                connection.execute("UPDATE folders SET board = ? WHERE origin = ?", (secrets.token_hex(8), origin))


def _board(connection: Connection, board: str) -> Board:
    folders = connection.execute("SELECT base_dir FROM folders WHERE board = ? ORDER BY base_dir", (board,))
    ((notes, labelled),) = connection.execute(
        "SELECT COUNT(CASE WHEN note_version > 0 THEN 1 END), COUNT(CASE WHEN labels_version > 0 THEN 1 END)"
        " FROM runs WHERE board = ?",
        (board,),
    )
    ((views,),) = connection.execute("SELECT COUNT(*) FROM views WHERE board = ?", (board,))
    ((arranged,),) = connection.execute("SELECT COUNT(*) FROM run_settings WHERE board = ?", (board,))
    base_dirs = tuple(base_dir for (base_dir,) in folders)
    return Board(board, base_dirs, int(notes), int(labelled), int(views), int(arranged))


def _is_there(base_dir: str) -> bool:
    return Path(to_path(base_dir)).is_dir()


def _merge(connection: Connection, source: str, target: str) -> None:
    """Move all user data of a board to another; nothing is lost where both have something."""
    version = lock_board(connection, target)
    there = {row[1]: row[1:] for row in select(connection, "runs", "WHERE board = ?", (target,))}
    for _, *row in select(connection, "runs", "WHERE board = ?", (source,)):
        old = there.get(row[0])
        connection.execute("DELETE FROM runs WHERE board = ? AND run = ?", (target, row[0]))
        insert(connection, "runs", [(target, *(row if old is None else _both(old, row, version)))])
    connection.execute("DELETE FROM runs WHERE board = ?", (source,))
    _merge_settings(connection, source, target, version)
    connection.execute("UPDATE views SET board = ? WHERE board = ?", (target, source))
    connection.execute(
        "UPDATE board_runs SET board = ? WHERE board = ? AND run NOT IN (SELECT run FROM board_runs WHERE board = ?)",
        (target, source, target),
    )
    connection.execute("DELETE FROM board_runs WHERE board = ?", (source,))
    connection.execute("UPDATE folders SET board = ? WHERE board = ?", (target, source))
    connection.execute("DELETE FROM boards WHERE id = ?", (source,))


def _merge_settings(connection: Connection, source: str, target: str, version: int) -> None:
    """Names, colours and owners of the target stay; archived or hidden is what was so in one of them."""
    there = {row[1]: from_row(row) for row in select(connection, "run_settings", "WHERE board = ?", (target,))}
    merged = {}
    for row in select(connection, "run_settings", "WHERE board = ?", (source,)):
        new, old = from_row(row), there.get(row[1])
        merged[row[1]] = new if old is None else _both_settings(old, new, version)
    store(connection, target, merged)
    connection.execute("DELETE FROM run_settings WHERE board = ?", (source,))


def _both_settings(old: RunSettings, new: RunSettings, version: int) -> RunSettings:
    return RunSettings(
        old.name or new.name,
        old.colour or new.colour,
        old.owner or new.owner,
        old.is_archived or new.is_archived,
        old.is_hidden or new.is_hidden,
        version,
    )


def _both(old: Sequence[Any], new: Sequence[Any], version: int) -> tuple[object, ...]:
    """The notes of two boards for one run below each other, and all their labels."""
    run, old_note, _, old_labels, _, old_at = old
    _, new_note, _, new_labels, _, new_at = new
    notes = dict.fromkeys(filter(None, (old_note, new_note)))
    note = "\n\n".join(notes)  # may be longer than people can write at once
    labels = list(dict.fromkeys((*json.loads(old_labels), *json.loads(new_labels))))
    versions = version if note else 0, version if labels else 0
    return run, note, versions[0], json.dumps(labels, ensure_ascii=False), versions[1], max(old_at, new_at)
