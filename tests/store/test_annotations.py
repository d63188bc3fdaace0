"""Notes, labels and saved views: kept over restarts and over a deleted index, on both databases."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from typing import Any, cast

import pytest

from mindinsight_like.errors import BadParameter, Busy, Conflict, NotFound
from mindinsight_like.store.annotations import Annotation, Annotations
from mindinsight_like.store.annotations.backups import read_all
from mindinsight_like.store.annotations.tables import SCHEMA_VERSION, UserDataUnusable
from mindinsight_like.store.database.database import DamagedDatabase, open_database
from mindinsight_like.store.database.location import IndexLocation


@pytest.fixture(name="annotations")
def _annotations(location: IndexLocation) -> Iterator[Annotations]:
    open_database(location.user_data).erase()
    yield Annotations(location)
    open_database(location.user_data).erase()


def said(annotations: Annotations) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {run: (each.note, each.labels) for run, each in annotations.of_runs().items()}


def test_nothing_is_made_by_looking(annotations: Annotations, location: IndexLocation) -> None:
    assert (annotations.version(), annotations.of_runs(), annotations.views()) == (0, {}, [])
    assert not open_database(location.user_data).exists()


def test_notes_and_labels_are_kept_apart_from_the_index(annotations: Annotations, location: IndexLocation) -> None:
    annotations.annotate("a", note=" 学习率太高 ")
    annotations.annotate("a", labels=["best", "best", " ", "checked\0"])
    annotations.annotate("b", labels=["x"])
    before = annotations.version()
    annotations.annotate("b", labels=[], labels_version=None)
    if location.folder.exists():
        shutil.rmtree(location.folder)
    again = Annotations(location)
    assert said(again) == {"a": ("学习率太高", ("best", "checked"))}
    assert again.of_runs(["b", "c"]) == {}
    assert again.version() > before


def test_views_are_saved_changed_and_deleted(annotations: Annotations) -> None:
    first = annotations.save_view("losses", "/scalars?q=loss")
    annotations.save_view("images", "/images")
    changed = annotations.change_view(
        first.id, name="all losses", address="/scalars?q=loss&s=0.5", version=first.version
    )
    assert changed.created_at == first.created_at
    assert [(view.name, view.address) for view in annotations.views()] == [
        ("all losses", "/scalars?q=loss&s=0.5"),
        ("images", "/images"),
    ]
    annotations.delete_view(first.id)
    assert [view.name for view in annotations.views()] == ["images"]
    with pytest.raises(NotFound):
        annotations.delete_view(first.id)
    with pytest.raises(NotFound):
        annotations.change_view(first.id, name="x")
    with pytest.raises(NotFound):
        annotations.delete_view("\0")


@pytest.mark.parametrize("address", ["https://elsewhere", "//elsewhere", "/\\elsewhere", "scalars", "", "/a\0"])
def test_views_lead_nowhere_else(annotations: Annotations, address: str) -> None:
    with pytest.raises(BadParameter, match="on this server"):
        annotations.save_view("x", address)


def test_what_is_too_long_is_refused(annotations: Annotations) -> None:
    with pytest.raises(BadParameter, match="note"):
        annotations.annotate("a", note="x" * 20_001)
    with pytest.raises(BadParameter, match="labels"):
        annotations.annotate("a", labels=["x" * 101])
    with pytest.raises(BadParameter, match="name"):
        annotations.save_view(" ", "/scalars")
    assert annotations.of_runs() == {}


def test_an_edit_of_something_changed_meanwhile_is_a_conflict_with_both_versions(annotations: Annotations) -> None:
    seen = annotations.annotate("a", note="first", labels=["x"])
    other = annotations.annotate("a", note="theirs", note_version=seen.note_version)

    with pytest.raises(Conflict) as refused:
        annotations.annotate("a", note="mine", note_version=seen.note_version, add_labels=["y"])

    expected = {"field": "note", "yours": "mine", "current": "theirs", "version": other.note_version}
    assert refused.value.details == {"conflicts": [expected]}
    assert annotations.of_runs()["a"] == other  # nothing of it was saved
    assert other.labels_version == seen.labels_version
    # Based on nothing, as the first edit of somebody who saw no note.
    with pytest.raises(Conflict):
        annotations.annotate("a", note="mine")
    # What both wrote alike is no conflict, and no change.
    version = annotations.version()
    assert annotations.annotate("a", note="theirs", note_version=seen.note_version) == other
    assert annotations.version() == version
    assert annotations.annotate("a", note="mine", note_version=other.note_version).note == "mine"
    assert annotations.annotate("a", note="forced", note_version=None).note == "forced"


def test_a_version_is_not_used_twice(annotations: Annotations) -> None:
    seen = annotations.annotate("a", note="first")
    annotations.annotate("a", note="", note_version=seen.note_version)
    again = annotations.annotate("a", note="second")
    assert again.note_version > seen.note_version
    with pytest.raises(Conflict):
        annotations.annotate("a", note="mine", note_version=seen.note_version)


def test_labels_that_are_added_and_removed_do_not_conflict(annotations: Annotations) -> None:
    annotations.annotate("a", add_labels=["x", "y"])
    annotations.annotate("a", add_labels=["z"], remove_labels=["x"])
    annotations.annotate("a", add_labels=["w"], remove_labels=["never there"])
    assert said(annotations) == {"a": ("", ("y", "z", "w"))}
    with pytest.raises(Conflict) as refused:
        annotations.annotate("a", labels=["only mine"])
    (conflict,) = cast(list[dict[str, Any]], refused.value.details["conflicts"])
    assert (conflict["yours"], conflict["current"]) == (("only mine",), ("y", "z", "w"))


def test_views_conflict_too(annotations: Annotations) -> None:
    saved = annotations.save_view("losses", "/scalars")
    renamed = annotations.change_view(saved.id, name="theirs", version=saved.version)
    with pytest.raises(Conflict) as refused:
        annotations.change_view(saved.id, name="mine", version=saved.version)
    (conflict,) = cast(list[dict[str, Any]], refused.value.details["conflicts"])
    assert conflict["current"] == {"name": "theirs", "address": "/scalars"}
    assert conflict["yours"] == {"name": "mine", "address": "/scalars"}
    with pytest.raises(Conflict):
        annotations.delete_view(saved.id, version=saved.version)
    annotations.delete_view(saved.id, version=renamed.version)
    assert annotations.views() == []


def test_of_many_edits_at_once_each_is_saved_or_refused(annotations: Annotations, location: IndexLocation) -> None:
    base = annotations.annotate("a", note="base")
    outcomes: list[str] = []

    def edit(number: int) -> None:
        mine = Annotations(location)
        mine.annotate("a", add_labels=[f"label {number}"])
        try:
            mine.annotate("a", note=f"note {number}", note_version=base.note_version)
            outcomes.append(f"note {number}")
        except Conflict:
            pass

    threads = [threading.Thread(target=edit, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    found = annotations.of_runs()["a"]
    assert [found.note] == outcomes
    assert set(found.labels) == {f"label {number}" for number in range(10)}


def test_a_held_lock_delays_only_saving_and_not_for_long(annotations: Annotations, location: IndexLocation) -> None:
    annotations.annotate("a", note="there")
    with _Held(location):
        started = time.monotonic()
        fresh = Annotations(location)
        assert fresh.of_runs()["a"].note == "there"
        assert (fresh.version() > 0, fresh.views()) == (True, [])
        assert annotations.of_runs()["a"].note == "there"
        assert time.monotonic() - started < 1
        with pytest.raises(Busy):
            annotations.annotate("a", note="more", note_version=None)
        with pytest.raises(Busy):
            Annotations(location).save_view("x", "/scalars")
        assert time.monotonic() - started < 10
    assert annotations.annotate("a", note="more", note_version=None).note == "more"


class _Held:
    """Another program's transaction that keeps writers out, as of a shell that somebody left open."""

    def __init__(self, location: IndexLocation) -> None:
        self._location = location

    def __enter__(self) -> None:
        if self._location.store_url:
            import psycopg

            self._other: Any = psycopg.connect(self._location.store_url)
            self._other.execute("LOCK TABLE mi_userdata.boards IN EXCLUSIVE MODE")
        else:
            self._other = sqlite3.connect(self._location.user_data.sqlite, isolation_level=None)
            self._other.execute("BEGIN EXCLUSIVE")

    def __exit__(self, *_: object) -> None:
        self._other.rollback()
        self._other.close()


def test_writes_are_synced(location: IndexLocation, annotations: Annotations) -> None:
    with annotations.database.writing() as connection:
        if location.store_url:
            assert connection.execute("SHOW synchronous_commit") == [("on",)]
        else:
            assert connection.execute("PRAGMA synchronous") == [(2,)]  # FULL
            assert connection.execute("PRAGMA journal_mode") == [("wal",)]


def test_data_of_a_newer_version_is_left_alone(location: IndexLocation, annotations: Annotations) -> None:
    annotations.annotate("a", note="kept")
    with annotations.database.writing() as connection:
        connection.execute("UPDATE meta SET value = ?", (str(SCHEMA_VERSION + 1),))
    older = Annotations(location)
    assert older.of_runs() == {}
    assert "newer version" in older.database.problem()
    with pytest.raises(UserDataUnusable, match="newer version"):
        older.annotate("a", note="lost?", note_version=None)
    with annotations.database.writing() as connection:
        connection.execute("UPDATE meta SET value = ?", (str(SCHEMA_VERSION),))
    assert older.of_runs()["a"].note == "kept"


def test_damaged_data_is_told_and_not_replaced(location: IndexLocation, annotations: Annotations) -> None:
    if location.store_url:
        pytest.skip("a file of SQLite")
    annotations.annotate("a", note="kept")
    file = location.user_data.sqlite
    with sqlite3.connect(file) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    content = bytearray(file.read_bytes())
    content[:100] = bytes(100)
    file.unlink()  # another file, as after a faulty copy
    file.write_bytes(content)

    fresh = Annotations(location)
    assert fresh.of_runs() == {}
    assert "app restore" in fresh.database.problem()
    with pytest.raises(UserDataUnusable, match="app restore"):
        fresh.annotate("a", note="lost?")
    assert file.read_bytes() == content


def test_no_annotation_equals_an_empty_one() -> None:
    assert Annotation() == Annotation("", (), 0, 0)


def test_a_damaged_page_costs_notes_not_the_board(location: IndexLocation, annotations: Annotations) -> None:
    if location.store_url:
        pytest.skip("a file of SQLite")
    for number in range(200):
        annotations.annotate(f"run {number}", note="x" * 500)
    file = location.user_data.sqlite
    raw = sqlite3.connect(file)
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    content = bytearray(file.read_bytes())
    for page in range(12, len(content) // 4096):  # behind the first page of each table
        content[page * 4096 : page * 4096 + 64] = bytes(range(64))
    for part in list(file.parent.iterdir()):
        part.unlink()
    file.write_bytes(content)

    fresh = Annotations(location)
    assert fresh.of_runs() == {}
    assert "app restore" in fresh.database.problem()


@pytest.mark.parametrize("table", ["runs", "views"])
def test_a_changed_row_is_never_shown_backed_up_or_edited(
    location: IndexLocation, annotations: Annotations, table: str
) -> None:
    annotations.annotate("a", note="keep", labels=["best"])
    annotations.annotate("b", note="fine")
    annotations.save_view("losses", "/scalars")
    column, only = ("note", " WHERE run = 'a'") if table == "runs" else ("address", "")
    with annotations.database.writing() as connection:
        connection.execute(f"UPDATE {table} SET {column} = {column} || ?{only}", ("x",))  # as a flipped bit would
    fresh = Annotations(location)
    assert set(fresh.of_runs()) == ({"b"} if table == "runs" else {"a", "b"})  # the rest goes on being shown
    assert len(fresh.views()) == (1 if table == "runs" else 0)
    assert "fail their checksum" in fresh.database.problem()
    with pytest.raises(UserDataUnusable, match="checksum"):
        if table == "runs":
            fresh.annotate("a", note="more", note_version=None)
        else:
            empty: list[tuple[Any, ...]] = []
            view = annotations.database.ask(lambda each: each.execute("SELECT id FROM views"), empty)[0][0]
            fresh.delete_view(view)
    reading = fresh.database.reading()
    assert reading is not None
    with pytest.raises(DamagedDatabase):
        read_all(reading)
    with annotations.database.writing() as connection:
        connection.execute(f"UPDATE {table} SET {column} = ?{only}", ("keep" if table == "runs" else "/scalars",))
    assert fresh.database.problem() == ""
    assert fresh.of_runs()["a"].note == "keep"
