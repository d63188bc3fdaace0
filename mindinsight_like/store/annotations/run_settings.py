"""What people set of runs besides notes and labels: name, colour, owner, archived, hidden; and how that is undone."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from mindinsight_like.errors import BadParameter, NotFound
from mindinsight_like.store.annotations.tables import insert, select
from mindinsight_like.store.database.database import Connection, Row, in_chunks, marks

MOST_RUN_NAME: Final = 200  # characters
MOST_OWNER: Final = 100
MOST_UNDO: Final = 50  # changes that can be undone, per board

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class RunSettings(NamedTuple):
    """Settings of one run; the version is that of the texts, 0 where there are none, and never used twice."""

    name: str = ""
    colour: str = ""  # as in #1f77b4
    owner: str = ""
    is_archived: bool = False
    is_hidden: bool = False
    version: int = 0

    @property
    def is_left_out(self) -> bool:
        """Whether lists of runs are without it unless they are asked for it."""
        return self.is_archived or self.is_hidden


class LeftOut(NamedTuple):
    """The runs that lists are without."""

    archived: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()


def checked(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as they are stored, by field; raises BadParameter."""
    clean = dict(values)
    for field, most in (("name", MOST_RUN_NAME), ("owner", MOST_OWNER)):
        if field in clean:
            text = " ".join(str(clean[field]).replace("\0", "").split())
            if len(text) > most:
                raise BadParameter(f"{field} has at most {most} characters.", parameter=field)
            clean[field] = text
    if clean.get("colour") and not _COLOUR.fullmatch(clean["colour"]):
        raise BadParameter("colour must be of the form #1f77b4, or empty.", parameter="colour")
    if "colour" in clean:
        clean["colour"] = clean["colour"].lower()
    return clean


def settings_of(connection: Connection, board: str, runs: Sequence[str]) -> dict[str, RunSettings]:
    """The settings of some runs; raises DamagedDatabase."""
    rows: list[Row] = []
    for chunk in in_chunks(runs):
        where = f"WHERE board = ? AND run IN ({marks(chunk)})"
        rows += select(connection, "run_settings", where, (board, *chunk))
    return {row[1]: from_row(row) for row in rows}


def from_row(row: Row) -> RunSettings:
    _, _, name, colour, owner, archived, hidden, version, _ = row
    return RunSettings(name, colour, owner, bool(archived), bool(hidden), version)


def store(connection: Connection, board: str, settings: Mapping[str, RunSettings]) -> None:
    """Store the settings of some runs in the place of what was there."""
    now = time.time()
    connection.execute_many("DELETE FROM run_settings WHERE board = ? AND run = ?", [(board, run) for run in settings])
    insert(
        connection,
        "run_settings",
        [
            (
                board,
                run,
                each.name,
                each.colour,
                each.owner,
                int(each.is_archived),
                int(each.is_hidden),
                each.version,
                now,
            )
            for run, each in settings.items()
            if each != RunSettings()
        ],
    )


def remember(connection: Connection, board: str, changes: Mapping[str, Mapping[str, Sequence[Any]]]) -> str:
    """Keep what a change of many runs has replaced; gives the token to undo it with."""
    token = secrets.token_urlsafe(12)
    connection.execute(
        "INSERT INTO undo (token, board, created_at, changes) VALUES (?, ?, ?, ?)",
        (token, board, time.time(), json.dumps(changes)),
    )
    connection.execute(
        "DELETE FROM undo WHERE board = ? AND token NOT IN"
        f" (SELECT token FROM undo WHERE board = ? ORDER BY created_at DESC LIMIT {MOST_UNDO:d})",
        (board, board),
    )
    return token


def recall(connection: Connection, board: str, token: str) -> dict[str, dict[str, list[Any]]]:
    """By run and field what a change has replaced, and by what; it is forgotten. Raises NotFound."""
    rows = (
        connection.execute("SELECT changes FROM undo WHERE token = ? AND board = ?", (token, board))
        if "\0" not in token
        else []
    )
    if not rows:
        raise NotFound("this change cannot be undone any more")
    connection.execute("DELETE FROM undo WHERE token = ?", (token,))
    changes: dict[str, dict[str, list[Any]]] = json.loads(rows[0][0])
    return changes
