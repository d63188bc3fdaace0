"""Connected trainings and pending profiling requests, shared by the endpoint and the web processes.

A small database in the workspace. The endpoint writes how trainings stand and looks for commands; web processes read
the one and write the other.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final, Literal

CommandState = Literal["waiting", "sent", "accepted", "refused", "recorded"]
WAITING: Final = "waiting"
SENT: Final = "sent"
ACCEPTED: Final = "accepted"
REFUSED: Final = "refused"
RECORDED: Final = "recorded"
_GONE_SECONDS: Final = 15.0  # a training that has not been heard of for so long is not connected
_PATIENCE_SECONDS: Final = 20.0  # after which a command that nobody took is given up


@dataclass
class Training:
    """One that is connected."""

    id: str
    run: str
    host: str
    process: int
    rank: int
    ranks: int
    can_profile: bool
    framework: str = ""
    step: int = 0
    is_recording: bool = False
    is_asked: bool = False  # a recording was accepted and has not begun
    dropped: int = 0
    last_seen: float = 0.0


@dataclass
class Command:
    """A wish for a recording of some steps."""

    id: str
    training: str
    steps: int
    state: CommandState
    message: str
    asked_at: float


_TABLES = """
CREATE TABLE IF NOT EXISTS trainings (
    id TEXT PRIMARY KEY, run TEXT, host TEXT, process INTEGER, rank INTEGER, ranks INTEGER, can_profile INTEGER,
    framework TEXT, step INTEGER, is_recording INTEGER, is_asked INTEGER, dropped INTEGER, last_seen REAL
);
CREATE TABLE IF NOT EXISTS commands (
    id TEXT PRIMARY KEY, training TEXT, steps INTEGER, state TEXT, message TEXT, asked_at REAL
);
"""


class Trainings:
    """The database of one service; each call opens it, so that any process and thread may ask."""

    def __init__(self, workspace: Path, port: int) -> None:
        self._path = workspace / "collector" / f"trainings-{port}.sqlite"

    def begin(self) -> None:
        """Forget everything: the endpoint has just started, and nobody is connected."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with closing(self._open()) as database:
            database.executescript(f"DROP TABLE IF EXISTS trainings; DROP TABLE IF EXISTS commands; {_TABLES}")

    def note(self, training: Training) -> None:
        """It is connected, and stands so."""
        training.last_seen = time.time()
        values = list(asdict(training).values())
        places = ", ".join("?" * len(values))
        with closing(self._open()) as database:
            database.execute(f"INSERT OR REPLACE INTO trainings VALUES ({places})", values)

    def forget(self, id: str) -> None:
        """It is not connected any more."""
        with closing(self._open()) as database:
            database.execute("DELETE FROM trainings WHERE id = ?", (id,))

    def connected(self) -> list[Training]:
        """All that were heard of just now, by run and rank."""
        rows = self._rows(Training, "trainings", "last_seen > ? ORDER BY run, rank, id", time.time() - _GONE_SECONDS)
        for row in rows:
            row.can_profile, row.is_recording = bool(row.can_profile), bool(row.is_recording)
            row.is_asked = bool(row.is_asked)
        return rows

    def ask(self, training: str, steps: int) -> Command:
        """Have a training record its next steps."""
        command = Command(secrets.token_hex(8), training, steps, WAITING, "", time.time())
        with closing(self._open()) as database:
            database.execute("DELETE FROM commands WHERE asked_at < ?", (time.time() - 86_400,))
            database.execute("INSERT INTO commands VALUES (?, ?, ?, ?, ?, ?)", tuple(asdict(command).values()))
        return command

    def latest(self, training: str) -> Command | None:
        """The last wish that a training was asked for."""
        commands = self._rows(Command, "commands", "training = ? ORDER BY asked_at DESC LIMIT 1", training)
        return commands[0] if commands else None

    def waiting(self) -> list[Command]:
        """Commands that have not been sent; those that nobody took or answered for too long are given up."""
        rows = self._rows(Command, "commands", "state IN (?, ?) ORDER BY asked_at", WAITING, SENT)
        for row in rows:
            if not 0 <= time.time() - row.asked_at < _PATIENCE_SECONDS:
                self.settle(row.id, REFUSED, "the training does not answer")
                row.state = REFUSED
        return [row for row in rows if row.state == WAITING]

    def settle(self, id: str, state: CommandState, message: str = "") -> None:
        """A command stands otherwise now."""
        with closing(self._open()) as database:
            database.execute("UPDATE commands SET state = ?, message = ? WHERE id = ?", (state, message, id))

    def finish(self, training: str) -> None:
        """What a training had accepted is recorded."""
        with closing(self._open()) as database:
            database.execute(
                "UPDATE commands SET state = ? WHERE training = ? AND state = ?", (RECORDED, training, ACCEPTED)
            )

    def _rows(self, kind: type[Any], table: str, condition: str, *values: object) -> list[Any]:
        if not self._path.exists():
            return []
        columns = ", ".join(column.name for column in fields(kind))
        with closing(self._open()) as database:
            try:
                rows = database.execute(f"SELECT {columns} FROM {table} WHERE {condition}", values).fetchall()
            except sqlite3.OperationalError:  # made this very moment
                return []
        return [kind(*row) for row in rows]

    def _open(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._path, timeout=10, isolation_level=None)
        database.execute("PRAGMA synchronous = OFF")  # nothing in it outlives the endpoint
        return database
