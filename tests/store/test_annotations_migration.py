"""Data that the release before boards has left is taken over: one SQLite file or schema for each base dir."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.annotations.boards import Boards
from mindinsight_like.store.database.database import open_database
from mindinsight_like.store.database.location import IndexLocation, run_id

# Made by the code of commit 9659f83, the last one with such files.
OLD_FILE = Path(__file__).parent / "data" / "annotations-9659f83.sqlite.gz"
_OLD_TABLES = (
    "CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS runs (run TEXT PRIMARY KEY, note TEXT NOT NULL, labels TEXT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS views (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, address TEXT NOT NULL,
        created_at DOUBLE PRECISION NOT NULL, updated_at DOUBLE PRECISION NOT NULL)""",
)


def write_old_file(location: IndexLocation) -> Path:
    """Today's data of a base dir, as the old release kept it."""
    folder = location.workspace / "annotations"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{location.folder.name}.sqlite"
    path.write_bytes(gzip.decompress(OLD_FILE.read_bytes()))
    return path


@pytest.fixture
def old(location: IndexLocation) -> Iterator[IndexLocation]:
    open_database(location.user_data).erase()
    if location.store_url:
        import sqlite3

        import psycopg

        schema = f"mi_annotations_{location.origin}"
        source = sqlite3.connect(write_old_file(location))
        with psycopg.connect(location.store_url, autocommit=True, options=f"-c search_path={schema}") as raw:
            raw.execute(f"CREATE SCHEMA {schema}")
            for table in _OLD_TABLES:
                raw.execute(table)
            for name, places in (("state", 2), ("runs", 3), ("views", 5)):
                rows = source.execute(f"SELECT * FROM {name}").fetchall()
                raw.cursor().executemany(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * places)})", rows)
            source.close()
            yield location
            raw.execute(f"DROP SCHEMA {schema} CASCADE")
    else:
        write_old_file(location)
        yield location
    open_database(location.user_data).erase()


def test_old_data_is_found_again_by_reading(old: IndexLocation) -> None:
    annotations = Annotations(old)
    assert {run: (each.note, each.labels) for run, each in annotations.of_runs().items()} == {
        run_id("lenet/first"): ("学习率太高\nsecond line", ("best", "论文")),
        run_id("lenet/second"): ("only a note", ()),
        run_id("resnet"): ("", ("checked",)),
    }
    assert [(view.id, view.name, view.address) for view in annotations.views()] == [
        ("kt8ITMIVvag8", "all losses", "/scalars?q=loss&s=0.5"),
        ("NsN3J9ELE9hh", "images", "/images"),
    ]
    assert annotations.views()[0].created_at == 1794968623.7213864
    assert annotations.version() > 0
    assert Boards(old).current().notes == 2


def test_old_data_is_there_before_the_first_save_and_is_taken_over_once(old: IndexLocation) -> None:
    Annotations(old).annotate(run_id("new"), note="new")
    annotations = Annotations(old)
    assert len(annotations.of_runs()) == 4
    annotations.annotate(run_id("lenet/second"), note="", note_version=None)
    assert run_id("lenet/second") not in Annotations(old).of_runs()


def test_a_damaged_old_file_hides_no_other(old: IndexLocation) -> None:
    if old.store_url:
        pytest.skip("files of SQLite")
    damaged = old.workspace / "annotations" / "0123456789abcdef.sqlite"
    damaged.write_bytes(b"no database at all" * 500)
    (old.workspace / "annotations" / "1123456789abcdef.sqlite").touch()
    assert len(Annotations(old).of_runs()) == 3
    assert damaged.exists()


def test_data_of_all_folders_is_taken_over_at_once(old: IndexLocation, tmp_path: Path) -> None:
    """Also of those that have moved before the update, so that they can be offered."""
    other = tmp_path / "elsewhere"
    other.mkdir()
    elsewhere = IndexLocation.of(other, old.workspace, old.store_url)
    assert Annotations(elsewhere).of_runs() == {}
    assert [board.id for board in Boards(elsewhere).all()] == [old.origin]


def test_user_data_without_checksums_is_upgraded(tmp_path: Path) -> None:
    """Version 1, made at commit 659ac67."""
    (tmp_path / "logs").mkdir()
    location = IndexLocation.of(tmp_path / "logs", tmp_path / "workspace")
    location.user_data.sqlite.parent.mkdir(parents=True)
    old_file = Path(__file__).parent / "data" / "userdata-1.sqlite.gz"
    location.user_data.sqlite.write_bytes(gzip.decompress(old_file.read_bytes()))
    annotations = Annotations(location, "team")
    found = annotations.of_runs()
    assert {run: (each.note, each.labels) for run, each in found.items()} == {
        run_id("lenet/first"): ("学习率太高", ("best",)),
        run_id("resnet"): ("", ("checked",)),
    }
    assert [(view.name, view.address) for view in annotations.views()] == [("losses", "/scalars?q=loss")]
    changed = annotations.annotate(
        run_id("lenet/first"), note="better", note_version=found[run_id("lenet/first")].note_version
    )
    assert Annotations(location, "team").of_runs()[run_id("lenet/first")] == changed
