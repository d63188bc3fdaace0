"""Backups of the user data: files that SQLite and PostgreSQL can both be restored from, checked before they are used.

A file is gzipped text, one JSON value a line: a header, then for each table its name, columns and number of rows
followed by the rows, at the end the SHA-256 of all lines before. What ends early or was changed has no such end.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import json
import os
import re
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mindinsight_like.store.annotations import tables
from mindinsight_like.store.annotations.access import UserDatabase, sync_folder
from mindinsight_like.store.database.database import Connection, DamagedDatabase, Row
from mindinsight_like.store.database.location import IndexLocation

FORMAT = "mindinsight-like user data"
_DAY_SECONDS = 24 * 3600
_DAILY = re.compile(r"userdata-([0-9]{8}T[0-9]{6}Z)\.jsonl\.gz")
_TIME = "%Y%m%dT%H%M%SZ"
# Enough to tell whether anything has changed: versions only grow, and every change of boards raises one.
_STATE = "SELECT COUNT(*), COALESCE(MAX(version), 0), COALESCE(SUM(version), 0) FROM boards WHERE version > 0"


class BadBackup(Exception):
    """A file that user data cannot be restored from; the message says why."""


@dataclass(frozen=True)
class Backup:
    """The contents of a backup."""

    created_at: float
    tables: dict[str, list[Row]]  # rows in the order of `tables.COLUMNS`

    @property
    def summary(self) -> str:
        """What it holds, in a few words."""
        notes = sum(1 for row in self.tables["runs"] if row[3])
        labelled = sum(1 for row in self.tables["runs"] if row[5])
        boards = len({row[0] for name in ("runs", "views", "run_settings") for row in self.tables[name]})
        counts = [(notes, "notes"), (labelled, "labelled runs"), (len(self.tables["views"]), "views")]
        if arranged := len(self.tables["run_settings"]):
            counts.append((arranged, "arranged runs"))
        return f"{', '.join(f'{count:,} {what}' for count, what in counts)} of {boards:,} boards"


def read_all(connection: Connection, *, is_checked: bool = True) -> Backup:
    """The whole user data at one moment, writers go on meanwhile; raises DamagedDatabase unless that is unwanted.

    A backup of damaged data would push out the good ones.
    """
    with connection.snapshot():
        for name in tables.CHECKED if is_checked else ():
            tables.select(connection, name)
        return Backup(
            time.time(),
            {
                name: connection.execute(f"SELECT {', '.join(columns)} FROM {name} ORDER BY {columns[0]}, {columns[1]}")
                for name, columns in tables.COLUMNS.items()
            },
        )


def write_file(backup: Backup, path: Path, state: str = "") -> None:
    """Write a backup, whole or not at all, to outlast a power cut; raises OSError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as raw:
            digest = hashlib.sha256()
            with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as packed:
                for line in _lines(backup, state):
                    digest.update(line)
                    packed.write(line)
                packed.write(_line({"sha256": digest.hexdigest()}))
            raw.flush()
            os.fsync(raw.fileno())
        draft.replace(path)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()
    sync_folder(path.parent)


def read_file(path: Path) -> Backup:
    """The backup in a file; raises BadBackup and OSError."""
    content = _content(path)
    header = _header(path, content.partition(b"\n")[0])
    body, _, end = content.rstrip(b"\n").rpartition(b"\n")
    try:
        expected = json.loads(end)["sha256"]
    except (ValueError, TypeError, KeyError) as error:
        raise BadBackup(f"{path} is damaged: it ends too early") from error
    if hashlib.sha256(body + b"\n").hexdigest() != expected:
        raise BadBackup(f"{path} is damaged: its checksum does not match")
    rows = dict(_tables(body.split(b"\n")[1:]))
    return Backup(float(header["created_at"]), {name: rows.get(name, []) for name in tables.COLUMNS})


def replace_all(connection: Connection, backup: Backup, kind: str) -> None:
    """Put a backup in the place of all user data, within the caller's transaction."""
    if kind == "postgresql":
        connection.execute(f"LOCK TABLE {', '.join(tables.COLUMNS)} IN EXCLUSIVE MODE")
    before: dict[str, int] = dict(connection.execute("SELECT id, version FROM boards"))
    for name in tables.COLUMNS:
        connection.execute(f"DELETE FROM {name}")
        tables.insert(connection, name, backup.tables[name])
    connection.execute("DELETE FROM offers")
    # Whoever looks at a board sees that it has changed, and no version means two things.
    now = tables.now_version()
    rows = connection.execute("SELECT id, version FROM boards")
    connection.execute_many(
        "UPDATE boards SET version = ? WHERE id = ?",
        [(max(now, version + 1, before.get(board, 0) + 1), board) for board, version in rows],
    )


def set_aside(path: Path) -> Path | None:
    """Move a damaged database of SQLite out of the way; returns where it lies now, None when there is none."""
    if not path.exists():
        return None
    aside = path.with_name(f"{path.name}.damaged-{_stamp()}")
    for suffix in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(aside.with_name(aside.name + suffix))
    path.replace(aside)
    sync_folder(path.parent)
    return aside


def before_restore(location: IndexLocation) -> Path:
    """Where to keep what a restore replaces."""
    location.backups.mkdir(parents=True, exist_ok=True, mode=0o700)
    return location.backups / f"before-restore-{_stamp()}.jsonl.gz"


def daily(location: IndexLocation) -> list[Path]:
    """The daily backups of a workspace, the oldest first."""
    return sorted(path for path in location.backups.glob("userdata-*.jsonl.gz") if _DAILY.fullmatch(path.name))


def back_up_daily(
    location: IndexLocation, database: UserDatabase, *, keep: int, now: float | None = None
) -> Path | None:
    """Back up what has changed since the newest backup, if that is a day old; keeps the newest ones.

    Returns the new file. Services that share a workspace take turns; with PostgreSQL each workspace has its own
    backups.
    """
    connection = database.reading()
    if keep == 0 or connection is None:
        return None
    now = time.time() if now is None else now
    if not _is_due(daily(location), now):
        return None
    state = " ".join(map(str, connection.execute(_STATE)[0]))
    if state.startswith("0 ") or any(_state(path) == state for path in daily(location)[-1:]):
        return None
    location.backups.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _turn(location.backups / ".lock") as is_ours:
        if not is_ours or not _is_due(daily(location), now):
            return None
        path = location.backups / f"userdata-{time.strftime(_TIME, time.gmtime(now))}.jsonl.gz"
        write_file(read_all(connection), path, state)
        for old in daily(location)[:-keep]:
            old.unlink(missing_ok=True)
        return path


def is_damaged(database: UserDatabase) -> bool:
    """Whether the database of SQLite is beyond reading."""
    try:
        connection = database.reading()
        if connection is None:
            return bool(database.problem())
        read_all(connection)
    except DamagedDatabase:
        return True
    return False


def _is_due(backups: list[Path], now: float) -> bool:
    if not backups:
        return True
    match = _DAILY.fullmatch(backups[-1].name)
    assert match is not None
    last_backup = _seconds(match[1])
    # A clock that was set back must not stop backups.
    return last_backup is None or not 0 <= now - last_backup < _DAY_SECONDS


def _seconds(stamp: str) -> float | None:
    from calendar import timegm

    try:
        return timegm(time.strptime(stamp, _TIME))
    except ValueError:
        return None


def _stamp() -> str:
    return time.strftime(_TIME, time.gmtime())


def _state(path: Path) -> str:
    """What the database looked like when a backup was taken; empty when the file does not say."""
    try:
        with gzip.open(path, "rb") as file:
            return str(json.loads(file.readline(65536)).get("state", ""))
    except (OSError, EOFError, zlib.error, ValueError, AttributeError):
        return ""


def _lines(backup: Backup, state: str) -> Iterator[bytes]:
    header = {"format": FORMAT, "version": tables.SCHEMA_VERSION, "created_at": backup.created_at, "state": state}
    yield _line(header)
    for name, columns in tables.COLUMNS.items():
        rows = backup.tables[name]
        yield _line({"table": name, "columns": columns, "rows": len(rows)})
        yield from map(_line, rows)


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _content(path: Path) -> bytes:
    try:
        with gzip.open(path, "rb") as file:
            return file.read()
    except gzip.BadGzipFile as error:
        raise BadBackup(f"{path} is not a backup of `app backup`, or is damaged: {error}") from error
    except (EOFError, zlib.error) as error:
        raise BadBackup(f"{path} is damaged: {error}") from error


def _header(path: Path, line: bytes) -> dict[str, Any]:
    try:
        header = json.loads(line)
        is_ours = header["format"] == FORMAT and isinstance(header["version"], int)
        float(header["created_at"])
    except (ValueError, TypeError, KeyError):
        is_ours = False
    if not is_ours:
        raise BadBackup(f"{path} is not a backup of `app backup`")
    if header["version"] > tables.SCHEMA_VERSION:
        raise BadBackup(
            f"{path} was written by a newer version of this program (its version is {header['version']}, this program"
            f" knows {tables.SCHEMA_VERSION}); restore it with that version"
        )
    return dict(header)


def _tables(lines: list[bytes]) -> Iterator[tuple[str, list[Row]]]:
    """Names and rows; the lines were checked to be what was written."""
    place = 0
    while place < len(lines):
        head = json.loads(lines[place])
        rows: Iterable[list[Any]] = map(json.loads, lines[place + 1 : place + 1 + head["rows"]])
        columns = tables.COLUMNS.get(head["table"])
        if columns is not None:
            order = [head["columns"].index(column) for column in columns]
            yield head["table"], [tuple(row[column] for column in order) for row in rows]
        place += 1 + head["rows"]


@contextmanager
def _turn(path: Path) -> Iterator[bool]:
    """Whether this process is the one that backs up now."""
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
