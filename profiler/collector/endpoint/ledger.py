"""Ledger of received data: the last durable sequence number of each spool and the sizes of its files.

Files are written first, then the ledger, then the sender hears of it. Whatever a file holds beyond its length in the
ledger was written by an endpoint that was killed before it could note it: it is cut off, and will be sent again.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from pathlib import Path

_TABLES = """
CREATE TABLE IF NOT EXISTS spools (
    base_dir TEXT, id TEXT, sequence INTEGER NOT NULL, changed REAL NOT NULL, PRIMARY KEY (base_dir, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS arrived (
    base_dir TEXT, source TEXT, name TEXT, path TEXT NOT NULL, size INTEGER NOT NULL, final TEXT NOT NULL,
    version INTEGER NOT NULL, is_complete INTEGER NOT NULL, is_placed INTEGER NOT NULL, changed REAL NOT NULL,
    PRIMARY KEY (base_dir, source, name)
) WITHOUT ROWID;
"""
_COLUMNS = "source, name, path, size, final, version, is_complete, is_placed"
_REMEMBERED_SECONDS = 180 * 86_400  # longer than anybody keeps a spool to send it


@dataclass
class LedgerFile:
    """A file of ours: where it is, how much of it has arrived for good, and how it is called once complete."""

    source: str  # the spool that it comes from, of what a framework wrote, that of its training
    name: str  # by which the sender means it
    path: str
    size: int = 0
    final: str = ""  # empty: it is called so from the beginning
    version: int = 0
    is_complete: bool = False
    is_placed: bool = False  # the complete file, or an earlier one of this name, has its final name


class Ledger:
    """For one base dir; used by one thread."""

    def __init__(self, path: Path, base_dir: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._base = str(base_dir)
        self._database = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = FULL")  # what is acknowledged survives a power cut
        self._database.executescript(_TABLES)
        long_ago = time.time() - _REMEMBERED_SECONDS
        for table in ("arrived", "spools"):
            self._database.execute(f"DELETE FROM {table} WHERE changed < ?", (long_ago,))

    def sequence(self, spool: str) -> int:
        """The highest number of the spool that has arrived; 0 at first."""
        row = self._database.execute(
            "SELECT sequence FROM spools WHERE base_dir = ? AND id = ?", (self._base, spool)
        ).fetchone()
        return int(row[0]) if row else 0

    def file(self, source: str, name: str) -> LedgerFile | None:
        """What is noted of a file."""
        row = self._database.execute(
            f"SELECT {_COLUMNS} FROM arrived WHERE base_dir = ? AND source = ? AND name = ?", (self._base, source, name)
        ).fetchone()
        return LedgerFile(*row) if row else None

    def nameless(self) -> list[LedgerFile]:
        """Files that have come as a whole and have not got their names."""
        rows = self._database.execute(
            f"SELECT {_COLUMNS} FROM arrived WHERE base_dir = ? AND is_complete AND final <> ''", (self._base,)
        ).fetchall()
        files = [LedgerFile(*values) for values in rows]
        return [file for file in files if not file.is_placed or Path(file.path).exists()]

    def claim(self, files: Iterable[LedgerFile]) -> None:
        """Note files before they are made: whatever is in them later is ours."""
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._note(files)

    def commit(self, spool: str, sequence: int, files: Iterable[LedgerFile]) -> None:
        """All of a spool up to this number is in the files, which are as long as they say."""
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._note(files)
            self._database.execute(
                "INSERT OR REPLACE INTO spools VALUES (?, ?, ?, ?)", (self._base, spool, sequence, time.time())
            )

    def _note(self, files: Iterable[LedgerFile]) -> None:
        now = time.time()
        self._database.executemany(
            "INSERT OR REPLACE INTO arrived VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ((self._base, *astuple(file), now) for file in files),
        )

    def close(self) -> None:
        self._database.close()
