"""Backups of user data: whole, checked, the same for both databases, and taken daily."""

from __future__ import annotations

import contextlib
import gzip
import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.annotations.access import UserDatabase
from mindinsight_like.store.annotations.backups import (
    BadBackup,
    back_up_daily,
    daily,
    read_all,
    read_file,
    replace_all,
    write_file,
)
from mindinsight_like.store.database.database import open_database
from mindinsight_like.store.database.location import IndexLocation

DAY = 24 * 3600
NOW = 1_760_000_000.0


@pytest.fixture(name="annotations")
def _annotations(location: IndexLocation) -> Iterator[Annotations]:
    open_database(location.user_data).erase()
    yield Annotations(location)
    open_database(location.user_data).erase()


def fill(annotations: Annotations) -> None:
    annotations.annotate("a", note="学习率\n'quoted' \"text\" \\", labels=["best", "论文"])
    annotations.annotate("b", labels=["x"])
    annotations.save_view("losses", "/scalars?q=loss&s=0.5")


def contents(annotations: Annotations) -> object:
    return annotations.of_runs(), annotations.views()


def back_up(annotations: Annotations, path: Path) -> None:
    connection = annotations.database.reading()
    assert connection is not None
    write_file(read_all(connection), path)


def restore(annotations: Annotations, path: Path) -> None:
    backup = read_file(path)
    with annotations.database.writing() as connection:
        replace_all(connection, backup, annotations.database.kind)


def test_a_restored_backup_is_what_was_there(annotations: Annotations, tmp_path: Path) -> None:
    fill(annotations)
    saved, version = contents(annotations), annotations.version()
    back_up(annotations, tmp_path / "backup.gz")
    annotations.annotate("a", note="", note_version=None)
    annotations.save_view("later", "/images")
    later = annotations.version()

    restore(annotations, tmp_path / "backup.gz")

    assert contents(annotations) == saved
    assert annotations.version() > later > version


def test_a_backup_moves_between_sqlite_and_postgresql(tmp_path: Path, postgresql_url: str) -> None:
    base_dir = tmp_path / "logs"
    base_dir.mkdir()
    places = [IndexLocation.of(base_dir, tmp_path / "workspace", url) for url in ("", postgresql_url, "")]
    open_database(places[1].user_data).erase()
    first = Annotations(places[0], "team")
    fill(first)
    saved = contents(first)
    back_up(first, tmp_path / "0")
    for number, place in enumerate(places[1:], 1):
        if place is places[2]:
            open_database(place.user_data).erase()
        other = Annotations(place, "team")
        restore(other, tmp_path / f"{number - 1}")
        assert contents(other) == saved
        back_up(other, tmp_path / f"{number}")
    assert gzip.decompress((tmp_path / "1").read_bytes()).split(b"\n", 1)[0].startswith(b'{"format":')
    open_database(places[1].user_data).erase()


def test_a_damaged_file_is_refused(annotations: Annotations, tmp_path: Path) -> None:
    fill(annotations)
    path = tmp_path / "backup.gz"
    back_up(annotations, path)
    good = path.read_bytes()
    plain = gzip.decompress(good)
    lines = plain.splitlines(keepends=True)
    bad = {
        "ends too early": gzip.compress(b"".join(lines[:-1])),
        "checksum": gzip.compress(plain.replace(b"best", b"bent")),
        "is damaged": good[: len(good) // 2],
        "not a backup": b"hello",
        "not a backup of": gzip.compress(b'{"format": "other"}\n'),
        "is not a backup": b"",
    }
    for reason, content in bad.items():
        path.write_bytes(content)
        with pytest.raises(BadBackup, match=reason):
            read_file(path)
    for place in range(0, len(good), 7):  # any flipped bit is noticed, or is none of the contents
        path.write_bytes(good[:place] + bytes([good[place] ^ 0x10]) + good[place + 1 :])
        with contextlib.suppress(BadBackup):
            assert read_file(path).tables == _tables(good, tmp_path)


def _tables(content: bytes, tmp_path: Path) -> object:
    (tmp_path / "good.gz").write_bytes(content)
    return read_file(tmp_path / "good.gz").tables


def test_a_file_of_a_newer_version_is_refused(annotations: Annotations, tmp_path: Path) -> None:
    fill(annotations)
    back_up(annotations, tmp_path / "backup.gz")
    lines = gzip.decompress((tmp_path / "backup.gz").read_bytes()).splitlines()
    header = json.loads(lines[0]) | {"version": 99}
    (tmp_path / "newer.gz").write_bytes(gzip.compress(b"\n".join([json.dumps(header).encode(), *lines[1:]])))
    with pytest.raises(BadBackup, match="newer version"):
        read_file(tmp_path / "newer.gz")


def test_daily_backups_are_taken_when_something_changed_and_rotate(
    annotations: Annotations, location: IndexLocation
) -> None:
    database = UserDatabase(location)
    assert back_up_daily(location, database, keep=3, now=NOW) is None  # nothing to save
    assert not location.backups.exists()
    fill(annotations)
    first = back_up_daily(location, database, keep=3, now=NOW)
    assert first is not None
    assert back_up_daily(location, database, keep=3, now=NOW + DAY) is None  # nothing changed
    annotations.annotate("c", note="more")
    assert back_up_daily(location, database, keep=3, now=NOW + DAY / 2) is None  # not a day old
    taken = [first]
    for day in range(1, 6):
        backup = back_up_daily(location, database, keep=3, now=NOW + day * DAY)
        assert backup is not None
        taken.append(backup)
        annotations.annotate("c", note=f"day {day}", note_version=None)
    assert daily(location) == taken[-3:]
    assert read_file(daily(location)[-1]).tables["runs"][-1][2] == "day 4"
    assert back_up_daily(location, database, keep=0, now=NOW + 99 * DAY) is None


def test_backups_block_neither_readers_nor_writers(annotations: Annotations, location: IndexLocation) -> None:
    for number in range(300):
        annotations.annotate(f"run {number}", note="x" * 2000)
    ended = threading.Event()

    def back_up_all_the_time() -> None:
        database = UserDatabase(location)
        day = 0
        while not ended.is_set():
            day += 1
            back_up_daily(location, database, keep=2, now=NOW + day * DAY)

    thread = threading.Thread(target=back_up_all_the_time)
    thread.start()
    longest = 0.0
    for number in range(40):
        started = time.monotonic()
        annotations.annotate("a", note=f"{number}", note_version=None)
        assert annotations.of_runs(["a"])["a"].note == f"{number}"
        longest = max(longest, time.monotonic() - started)
    ended.set()
    thread.join()
    assert longest < 2
    assert daily(location)
    for path in daily(location):
        read_file(path)


def test_a_killed_writer_leaves_whole_data(annotations: Annotations, location: IndexLocation) -> None:
    """A reader recovers from the log of changes that SQLite had no time to write back."""
    if location.store_url:
        pytest.skip("files of SQLite")
    fill(annotations)
    saved = contents(annotations)
    file = location.user_data.sqlite
    copy = IndexLocation.of(location.base_dir, location.workspace / "copy")
    copy.user_data.sqlite.parent.mkdir(parents=True)
    for suffix in ("", "-wal"):  # as a power cut leaves them: all that was synced
        copy.user_data.sqlite.with_name(file.name + suffix).write_bytes(file.with_name(file.name + suffix).read_bytes())
    assert contents(Annotations(copy)) == saved
    raw = sqlite3.connect(copy.user_data.sqlite)
    assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    raw.close()
