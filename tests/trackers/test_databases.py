"""Databases of trackers are read whoever writes to them, and nothing beside them changes by that."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.trackers.files.databases import opened
from mindinsight_like.trackers.reader import LogUnreadable
from mindinsight_like.trackers.source import LocalSource


@pytest.fixture
def source(tmp_path: Path) -> Iterator[LocalSource]:
    made = LocalSource(BaseDirs(str(tmp_path.resolve())))
    yield made
    made.close()


def _count(source: LocalSource) -> int:
    with opened(source, "a.db") as connection:
        return int(connection.execute("SELECT COUNT(*) FROM t").fetchone()[0])


def _state(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Names, bytes and times."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


def _make(path: Path, journal_mode: str, rows: int = 3) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode = {journal_mode}")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("CREATE TABLE t (x)")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO t VALUES (?)", [(row,) for row in range(rows)])
    connection.execute("COMMIT")
    return connection


class _Writer:
    """A connection in a process of its own: within one, SQLite shares what it has opened."""

    def __init__(self, path: Path) -> None:
        script = (
            "import sqlite3, sys\n"
            "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
            "for line in sys.stdin:\n"
            "    c.execute(line)\n"
            "    print('done', flush=True)\n"
        )
        command = [sys.executable, "-c", script, str(path)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def execute(self, statement: str) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{statement}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"


@pytest.mark.parametrize("journal_mode", ["delete", "wal", "truncate", "persist"])
def test_a_database_at_rest_is_read_and_left_alone(tmp_path: Path, source: LocalSource, journal_mode: str) -> None:
    _make(tmp_path / "a.db", journal_mode).close()
    before = _state(tmp_path)
    assert _count(source) == 3
    assert _state(tmp_path) == before


@pytest.mark.parametrize("journal_mode", ["delete", "wal"])
def test_what_is_not_committed_does_not_show(tmp_path: Path, source: LocalSource, journal_mode: str) -> None:
    _make(tmp_path / "a.db", journal_mode).close()
    with _Writer(tmp_path / "a.db") as writer:
        writer.execute("INSERT INTO t VALUES (3)")
        assert _count(source) == 4
        writer.execute("BEGIN")
        writer.execute("INSERT INTO t VALUES (4)")
        before = _state(tmp_path)
        assert _count(source) == 4
        assert _state(tmp_path) == before
        writer.execute("COMMIT")
        before = _state(tmp_path)
        assert _count(source) == 5
        assert _state(tmp_path) == before


def test_a_log_without_shared_memory_is_applied_in_a_copy(tmp_path: Path, source: LocalSource) -> None:
    live = tmp_path.with_name(f"{tmp_path.name} live")
    live.mkdir()
    with contextlib.closing(_make(live / "a.db", "wal")):
        for name in ("a.db", "a.db-wal"):
            shutil.copy(live / name, tmp_path / name)
    before = _state(tmp_path)
    assert _count(source) == 3
    assert _state(tmp_path) == before


def test_the_journal_of_a_killed_writer_is_played_back_in_a_copy(tmp_path: Path, source: LocalSource) -> None:
    _make(tmp_path / "a.db", "delete", rows=5000).close()
    script = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA cache_size = 2')\n"
        "c.execute('BEGIN EXCLUSIVE')\n"
        "c.execute('UPDATE t SET x = x + 1')\n"
        "c.execute('DELETE FROM t WHERE x > 100')\n"
        "os._exit(1)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "a.db")], check=False)
    assert (tmp_path / "a.db-journal").stat().st_size > 0
    before = _state(tmp_path)
    assert _count(source) == 5000
    assert _state(tmp_path) == before


def test_a_writer_that_holds_the_database_is_waited_for(tmp_path: Path, source: LocalSource) -> None:
    with contextlib.closing(_make(tmp_path / "a.db", "delete")) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(TimeoutError):
            _count(source)
        writer.execute("ROLLBACK")
        assert _count(source) == 3


@pytest.mark.parametrize("content", [b"", b"no database at all", b"SQLite format 3\0" + bytes(200)])
def test_what_is_no_database_is_named(tmp_path: Path, source: LocalSource, content: bytes) -> None:
    (tmp_path / "a.db").write_bytes(content)
    with pytest.raises(LogUnreadable):
        _count(source)


def test_damaged_pages_are_named(tmp_path: Path, source: LocalSource) -> None:
    _make(tmp_path / "a.db", "delete", rows=5000).close()
    with (tmp_path / "a.db").open("r+b") as file:
        file.seek(8192)
        file.write(os.urandom(20_000))
    with pytest.raises(LogUnreadable), opened(source, "a.db") as connection:
        connection.execute("SELECT SUM(x) FROM t").fetchone()
