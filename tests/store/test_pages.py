"""Pages of SQLite with checksums: damage is noticed wherever it is, by the native layer and by its Python twin."""

from __future__ import annotations

import _sqlite3
import ctypes
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mindinsight_like.store.database import pages
from mindinsight_like.store.database.page_format import PAGE
from mindinsight_like.store.reference import pages as pages_twin

try:
    from mindinsight_like.store.database import _pages
except ImportError:
    _pages = None  # no compiler here

Connect = Callable[[Path], sqlite3.Connection]


def _connect_with(name: str) -> Connect:
    return lambda path: sqlite3.connect(f"file:{path}?vfs={name}", uri=True, isolation_level=None)


def _registered(register: Callable[[int, int, str], bool], name: str) -> Connect:
    library = ctypes.CDLL(_sqlite3.__file__)
    find, add = (
        ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
        for name in ("sqlite3_vfs_find", "sqlite3_vfs_register")
    )
    assert register(find, add, name)
    return _connect_with(name)


_CONNECTS = {"twin": _registered(pages_twin.register, "test_twin")}
if _pages is not None:
    _CONNECTS["native"] = _registered(_pages.register, "test_native")


@pytest.fixture(params=sorted(_CONNECTS))
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    yield _CONNECTS[request.param]


def _fill(connection: sqlite3.Connection, rows: int = 300) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, data BLOB)")
    connection.execute("CREATE INDEX by_name ON t (name)")
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT INTO t VALUES (?, ?, ?)",
        [(n, f"row {n * 7919 % 1000}", random.Random(n).randbytes(n * 401 % 90_000)) for n in range(rows)],
    )
    connection.execute("COMMIT")


def _content(connection: sqlite3.Connection) -> list[object]:
    by_name = connection.execute("SELECT id FROM t INDEXED BY by_name ORDER BY name, id").fetchall()
    return [connection.execute("SELECT * FROM t ORDER BY id").fetchall(), by_name]


def _made(path: Path, connect: Connect) -> list[object]:
    pages.make_empty(path)
    connection = connect(path)
    _fill(connection)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = _content(connection)
    connection.close()
    return content


def test_either_reads_what_the_other_has_written(tmp_path: Path) -> None:
    for writer in _CONNECTS.values():
        path = tmp_path / f"{id(writer)}.sqlite"
        content = _made(path, writer)

        for reader in _CONNECTS.values():
            connection = reader(path)
            assert _content(connection) == content
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            connection.close()
        plain = sqlite3.connect(path)  # an ordinary file for everybody else
        assert _content(plain) == content
        plain.close()


def test_every_damaged_page_is_noticed(tmp_path: Path, connect: Connect) -> None:
    path = tmp_path / "index.sqlite"
    content = _made(path, connect)
    whole = path.read_bytes()
    rng = random.Random(5)
    page_numbers = [0, 1, 2, *rng.sample(range(3, len(whole) // PAGE), 12)]

    for number in page_numbers:
        for damage in ("bit", "zeros"):
            broken = bytearray(whole)
            if damage == "bit":
                broken[number * PAGE + rng.randrange(PAGE)] ^= 1 << rng.randrange(8)
            else:
                broken[number * PAGE : (number + 1) * PAGE] = bytes(PAGE)
            path.write_bytes(broken)

            with pytest.raises(sqlite3.DatabaseError) as error:
                connection = connect(path)
                try:
                    assert _content(connection) != content
                finally:
                    connection.close()
            assert type(error.value) is sqlite3.DatabaseError


def test_swapped_and_missing_pages_are_noticed(tmp_path: Path, connect: Connect) -> None:
    path = tmp_path / "index.sqlite"
    _made(path, connect)
    whole = path.read_bytes()
    swapped = whole[: 5 * PAGE] + whole[6 * PAGE : 7 * PAGE] + whole[5 * PAGE : 6 * PAGE] + whole[7 * PAGE :]

    for broken in (swapped, whole[: len(whole) // PAGE // 2 * PAGE], whole[:100], b""):
        path.write_bytes(broken)
        with pytest.raises(sqlite3.DatabaseError):
            connection = connect(path)
            try:
                _content(connection)
            finally:
                connection.close()


def test_log_is_checked_when_read_and_replayed_after_a_kill(tmp_path: Path, connect: Connect) -> None:
    path, copy = tmp_path / "index.sqlite", tmp_path / "copy.sqlite"
    pages.make_empty(path)
    writer = connect(path)
    writer.execute("PRAGMA wal_autocheckpoint = 0")
    _fill(writer)
    writer.execute("UPDATE t SET name = 'other' WHERE id % 3 = 0")
    content = _content(writer)

    for suffix in ("", "-wal"):  # as a killed process leaves them
        shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")
    replayed = connect(copy)
    assert _content(replayed) == content
    replayed.close()

    log = Path(f"{path}-wal")
    with log.open("r+b") as file:
        file.seek(32 + 24 + 20 * (24 + PAGE) + 1000)
        byte = file.read(1)
        file.seek(-1, 1)
        file.write(bytes([byte[0] ^ 4]))
    reader = connect(path)
    with pytest.raises(sqlite3.DatabaseError):
        _content(reader)
    reader.close()
    writer.close()


def test_checkpoints_while_others_read(tmp_path: Path, connect: Connect) -> None:
    path = tmp_path / "index.sqlite"
    pages.make_empty(path)
    writer, reader = connect(path), connect(path)
    writer.execute("PRAGMA wal_autocheckpoint = 20")
    _fill(writer)

    for turn in range(30):
        with writer:
            writer.execute("BEGIN")
            writer.execute("UPDATE t SET data = ? WHERE id % 10 = ?", (bytes(turn * 1000), turn % 10))
            writer.execute("DELETE FROM t WHERE id = ?", (turn * 3,))
            row = 1000 + turn, "new", random.Random(turn).randbytes(70_000)
            writer.execute("INSERT INTO t VALUES (?, ?, ?)", row)
        assert _content(reader) == _content(writer)
    reader.close()
    writer.close()
