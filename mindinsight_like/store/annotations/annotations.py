"""Annotations of runs and saved views of one board, each with a version, so that no edit is lost silently."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from mindinsight_like.errors import BadParameter, Conflict, NotFound
from mindinsight_like.store.annotations.access import UserDatabase
from mindinsight_like.store.annotations.run_rows import (
    Annotation,
    Changed,
    annotation_of,
    change_all,
    lock_board,
    restored,
    set_version,
    store_annotations,
    stored_annotation,
    versioned,
)
from mindinsight_like.store.annotations.run_settings import LeftOut, checked, from_row, recall
from mindinsight_like.store.annotations.tables import insert, is_shared_item, select
from mindinsight_like.store.database.database import Connection, Row, in_chunks, marks
from mindinsight_like.store.database.location import IndexLocation

MOST_NOTE = 20_000  # characters
MOST_LABEL = 100
MOST_LABELS = 100
_MOST_NAME = 200
_MOST_ADDRESS = 200_000

_NO_ROWS: list[Row] = []


class SavedView(NamedTuple):
    """A board as somebody left it."""

    id: str
    name: str
    address: str  # path and query below the service's own address
    created_at: float
    updated_at: float
    version: int = 0  # of name and address


class Annotations:
    """The annotations of one board; any number of processes may read and write them.

    Edits name the version they are based on, None to overwrite whatever there is. An edit of something that has changed
    since raises Conflict with both versions and saves nothing.
    """

    def __init__(self, location: IndexLocation, board: str = "", database: UserDatabase | None = None) -> None:
        self._database = database or UserDatabase(location)
        self._origin = location.origin
        self._named = board  # empty: the board that the folder belongs to

    @property
    def database(self) -> UserDatabase:
        return self._database

    def board(self, connection: Connection) -> str:
        """The id of the board."""
        if self._named:
            return self._named
        rows = connection.execute("SELECT board FROM folders WHERE origin = ?", (self._origin,))
        return str(rows[0][0]) if rows else self._origin

    def version(self) -> int:
        """A number that grows with every change; 0 before the first."""

        def ask(connection: Connection) -> int:
            rows = connection.execute("SELECT version FROM boards WHERE id = ?", (self.board(connection),))
            return int(rows[0][0]) if rows else 0

        return self._database.ask(ask, 0)

    def of_runs(self, runs: Sequence[str] | None = None) -> dict[str, Annotation]:
        """The annotations of some runs by id, or of all; runs without any are left out."""

        def ask(connection: Connection, table: str) -> list[Row]:
            board = self.board(connection)
            if runs is None:
                return select(connection, table, "WHERE board = ?", (board,), tell=self._database.tell_damage)
            rows: list[Row] = []
            for chunk in in_chunks(runs):
                where = f"WHERE board = ? AND run IN ({marks(chunk)})"
                rows += select(connection, table, where, (board, *chunk), tell=self._database.tell_damage)
            return rows

        annotations = {
            row[1]: annotation_of(row) for row in self._database.ask(lambda each: ask(each, "runs"), _NO_ROWS)
        }
        for row in self._database.ask(lambda each: ask(each, "run_settings"), _NO_ROWS):
            annotations[row[1]] = annotations.get(row[1], Annotation())._replace(settings=from_row(row))
        return annotations

    def left_out(self) -> LeftOut:
        """The runs that are archived or hidden."""

        def ask(connection: Connection) -> list[Row]:
            where = "WHERE board = ? AND (archived = 1 OR hidden = 1)"
            return select(connection, "run_settings", where, (self.board(connection),), tell=self._database.tell_damage)

        settings = {row[1]: from_row(row) for row in self._database.ask(ask, _NO_ROWS)}
        return LeftOut(
            frozenset(run for run, each in settings.items() if each.is_archived),
            frozenset(run for run, each in settings.items() if each.is_hidden),
        )

    def named(self, words: Sequence[str]) -> list[str]:
        """The runs to which people gave a name that contains all of some words, ignoring case."""

        def ask(connection: Connection) -> list[Row]:
            where = "WHERE board = ? AND name <> ''"
            return select(connection, "run_settings", where, (self.board(connection),), tell=self._database.tell_damage)

        rows = self._database.ask(ask, _NO_ROWS) if words else []
        return [row[1] for row in rows if all(word.lower() in row[2].lower() for word in words)]

    def annotate(
        self,
        run: str,
        *,
        note: str | None = None,
        note_version: int | None = 0,
        labels: Sequence[str] | None = None,
        labels_version: int | None = 0,
        add_labels: Sequence[str] = (),
        remove_labels: Sequence[str] = (),
        settings: Mapping[str, Any] | None = None,
        settings_version: int | None = 0,
    ) -> Annotation:
        """Set what is given of a run's annotation; raises BadParameter, Conflict.

        `settings` are fields of RunSettings. Adding and removing labels, archiving and hiding need no version: they are
        right whatever else there is by now.
        """
        new_settings = checked(settings or {})
        wanted_note = None if note is None else _checked_note(note)
        wanted_labels = None if labels is None else _cleaned(labels)
        added, removed = _cleaned(add_labels), set(_cleaned(remove_labels))
        with self._database.writing() as connection:
            board = self.board(connection)
            version = lock_board(connection, board)
            old = stored_annotation(connection, board, run)
            conflicts = []
            if wanted_note is not None and wanted_note != old.note and note_version not in (None, old.note_version):
                conflicts.append(_conflict("note", wanted_note, old.note, old.note_version))
            is_other = wanted_labels is not None and wanted_labels != old.labels
            if is_other and labels_version not in (None, old.labels_version):
                conflicts.append(_conflict("labels", wanted_labels, old.labels, old.labels_version))
            for field in ("name", "colour", "owner"):
                now = getattr(old.settings, field)
                is_changed = field in new_settings and new_settings[field] != now
                if is_changed and settings_version not in (None, old.settings.version):
                    conflicts.append(_conflict(field, new_settings[field], now, old.settings.version))
            if conflicts:
                raise Conflict("Someone else has changed this since you opened it.", conflicts=conflicts)
            new_labels = old.labels if wanted_labels is None else wanted_labels
            new_labels = _cleaned([label for label in (*new_labels, *added) if label not in removed])
            merged = old.settings._replace(**new_settings)
            new = Annotation(old.note if wanted_note is None else wanted_note, new_labels, settings=merged)
            new = versioned(new, old, version)
            if new != old:
                store_annotations(connection, board, {run: new})
                set_version(connection, board, version)
        return new

    def annotate_all(
        self,
        runs: Sequence[str],
        *,
        note: str | None = None,
        labels: Sequence[str] | None = None,
        add_labels: Sequence[str] = (),
        remove_labels: Sequence[str] = (),
        settings: Mapping[str, Any] | None = None,
    ) -> Changed:
        """Make one change of many runs, whatever they have now; raises BadParameter."""
        new_note = None if note is None else _checked_note(note)
        new_labels = None if labels is None else _cleaned(labels)
        added, removed = _cleaned(add_labels), set(_cleaned(remove_labels))
        new_settings = checked(settings or {})

        def change(old: Annotation) -> Annotation:
            base = old.labels if new_labels is None else new_labels
            return old._replace(
                note=old.note if new_note is None else new_note,
                labels=_cleaned([label for label in (*base, *added) if label not in removed]),
                settings=old.settings._replace(**new_settings),
            )

        with self._database.writing() as connection:
            return change_all(connection, self.board(connection), dict.fromkeys(runs, change))

    def undo(self, token: str) -> Changed:
        """Take a change of many runs back, but for what was changed once more since; raises NotFound.

        The token of the answer takes that back again.
        """
        with self._database.writing() as connection:
            board = self.board(connection)
            changes = recall(connection, board, token)
            restore = {run: partial(restored, fields=fields) for run, fields in changes.items()}
            return change_all(connection, board, restore)

    def views(self) -> list[SavedView]:
        """All saved views, the newest first."""

        def ask(connection: Connection) -> list[Row]:
            board, where = self.board(connection), "WHERE board = ? ORDER BY updated_at DESC"
            return select(connection, "views", where, (board,), tell=self._database.tell_damage)

        return [_view(row) for row in self._database.ask(ask, _NO_ROWS) if not is_shared_item(row[1])]

    def save_view(self, name: str, address: str) -> SavedView:
        """Save a new view under a name; raises BadParameter."""
        name, now = _view_name(name), time.time()
        _check_address(address)
        with self._database.writing() as connection:
            board = self.board(connection)
            version = lock_board(connection, board)
            saved = SavedView(secrets.token_urlsafe(9), name, address, now, now, version)
            _store_view(connection, board, saved)
            set_version(connection, board, version)
        return saved

    def change_view(
        self, view: str, *, name: str | None = None, address: str | None = None, version: int | None = 0
    ) -> SavedView:
        """Give a view another name or address; raises BadParameter, NotFound, Conflict."""
        new_name = None if name is None else _view_name(name)
        if address is not None:
            _check_address(address)
        with self._database.writing() as connection:
            board = self.board(connection)
            new_version = lock_board(connection, board)
            old = _stored_view(connection, board, view)
            new = old._replace(
                name=old.name if new_name is None else new_name, address=old.address if address is None else address
            )
            if new != old:
                _check_view(old, version, yours=new)
                new = new._replace(updated_at=time.time(), version=new_version)
                _store_view(connection, board, new)
                set_version(connection, board, new_version)
        return new

    def delete_view(self, view: str, *, version: int | None = None) -> None:
        """Delete a view; raises NotFound, Conflict."""
        with self._database.writing() as connection:
            board = self.board(connection)
            next_version = lock_board(connection, board)
            _check_view(_stored_view(connection, board, view), version, yours=None)
            connection.execute("DELETE FROM views WHERE board = ? AND id = ?", (board, view))
            set_version(connection, board, next_version)


def _checked_note(note: str) -> str:
    text = _clean(note)
    if len(text) > MOST_NOTE:
        raise BadParameter(f"A note has at most {MOST_NOTE:,} characters.", parameter="note")
    return text


def _conflict(field: str, yours: object, current: object, version: int) -> dict[str, object]:
    return {"field": field, "yours": yours, "current": current, "version": version}


def _stored_view(connection: Connection, board: str, view: str) -> SavedView:
    is_view = "\0" not in view and not is_shared_item(view)
    rows = select(connection, "views", "WHERE board = ? AND id = ?", (board, view)) if is_view else []
    if not rows:
        raise NotFound("view not found")
    return _view(rows[0])


def _view(row: Row) -> SavedView:
    _, view, name, address, version, created_at, updated_at = row
    return SavedView(view, name, address, created_at, updated_at, version)


def _store_view(connection: Connection, board: str, view: SavedView) -> None:
    connection.execute("DELETE FROM views WHERE board = ? AND id = ?", (board, view.id))
    row = (board, view.id, view.name, view.address, view.version, view.created_at, view.updated_at)
    insert(connection, "views", [row])


def _check_view(old: SavedView, version: int | None, *, yours: SavedView | None) -> None:
    if version not in (None, old.version):
        current = {"name": old.name, "address": old.address}
        edited = None if yours is None else {"name": yours.name, "address": yours.address}
        conflict = _conflict("view", edited, current, old.version)
        raise Conflict("Someone else has changed this view since you opened it.", conflicts=[conflict])


def _view_name(name: str) -> str:
    name = _clean(name)
    if not name or len(name) > _MOST_NAME:
        raise BadParameter(f"A view needs a name of at most {_MOST_NAME} characters.", parameter="name")
    return name


def _check_address(address: str) -> None:
    # Links to other places would make this a way to lead people astray.
    is_ours = address.startswith("/") and not address.startswith(("//", "/\\"))
    if not is_ours or "\0" in address or len(address) > _MOST_ADDRESS:
        raise BadParameter("The address of a view must be a path on this server.", parameter="address")


def _cleaned(labels: Sequence[str]) -> tuple[str, ...]:
    cleaned = tuple(label for label in dict.fromkeys(map(_clean, labels)) if label)
    if len(cleaned) > MOST_LABELS or any(len(label) > MOST_LABEL for label in cleaned):
        raise BadParameter(f"At most {MOST_LABELS} labels of {MOST_LABEL} characters each.", parameter="labels")
    return cleaned


def _clean(text: str) -> str:
    """Without blanks around it, and without what databases refuse: NUL and halves of surrogate pairs."""
    return text.encode(errors="replace").decode().replace("\0", "").strip()
