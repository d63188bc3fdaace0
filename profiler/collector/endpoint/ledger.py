"""What has arrived for good: the highest number of each spool, and how long its files are by then.

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
CREATE TABLE IF NOT EXISTS files (
    base_dir TEXT, spool TEXT, name TEXT, path TEXT NOT NULL, size INTEGER NOT NULL, final TEXT NOT NULL,
    is_complete INTEGER NOT NULL, is_placed INTEGER NOT NULL,
    PRIMARY KEY (base_dir, spool, name)
) WITHOUT ROWID;
"""
_COLUMNS = "name, path, size, final, is_complete, is_placed"
_REMEMBERED_SECONDS = 180 * 86_400  # longer than anybody keeps a spool to send it


@dataclass
class NotedFile:
    """A file of ours: where it is, how much of it has arrived for good, and how it is called once complete."""

    name: str  # by which the sender means it
    path: str
    size: int = 0
    final: str = ""  # empty: it is called so from the beginning
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
        self._database.execute(
            "DELETE FROM files WHERE EXISTS (SELECT 1 FROM spools WHERE base_dir = files.base_dir AND id = spool"
            " AND changed < ?)",
            (long_ago,),
        )
        self._database.execute("DELETE FROM spools WHERE changed < ?", (long_ago,))

    def sequence(self, spool: str) -> int:
        """The highest number of the spool that has arrived; 0 at first."""
        found = self._database.execute(
            "SELECT sequence FROM spools WHERE base_dir = ? AND id = ?", (self._base, spool)
        ).fetchone()
        return int(found[0]) if found else 0

    def file(self, spool: str, name: str) -> NotedFile | None:
        """What is noted of a file."""
        found = self._database.execute(
            f"SELECT {_COLUMNS} FROM files WHERE base_dir = ? AND spool = ? AND name = ?", (self._base, spool, name)
        ).fetchone()
        return NotedFile(*found) if found else None

    def complete(self) -> list[tuple[str, NotedFile]]:
        """Spools and files that have come as a whole, whether or not they have got their names."""
        found = self._database.execute(
            f"SELECT spool, {_COLUMNS} FROM files WHERE base_dir = ? AND is_complete AND final <> ''", (self._base,)
        ).fetchall()
        return [(spool, NotedFile(*values)) for spool, *values in found]

    def claim(self, spool: str, file: NotedFile) -> None:
        """Note a file before it is made: whatever is in it later is ours."""
        self._database.execute(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (self._base, spool, *astuple(file))
        )

    def commit(self, spool: str, sequence: int, files: Iterable[NotedFile]) -> None:
        """All up to this number is in the files, which are as long as they say."""
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            for file in files:
                self.claim(spool, file)
            self._database.execute(
                "INSERT OR REPLACE INTO spools VALUES (?, ?, ?, ?)", (self._base, spool, sequence, time.time())
            )

    def close(self) -> None:
        self._database.close()
