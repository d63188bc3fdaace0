"""Readers beside a writer that commits, merges and forgets, on both databases."""

from __future__ import annotations

import ctypes.util
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mindinsight_like as mi
from mindinsight_like.store.database.database import open_database
from mindinsight_like.store.database.location import IndexLocation, run_id
from mindinsight_like.store.reader import IndexReader

from .conftest import Index
from .making import GrowingLog, Point

_TAGS = ("a", "b")


def _rows(low: int, high: int) -> list[Point]:
    return [(tag, step, float(step)) for step in range(low, high) for tag in _TAGS]


def _in_threads(count: int, work: Callable[[threading.Event], None], meanwhile: Callable[[], None]) -> None:
    """Run `work` in threads until `meanwhile` is done; whatever fails, fails the test."""
    stop, failures = threading.Event(), []

    def guarded() -> None:
        try:
            work(stop)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        meanwhile()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]


def test_readers_always_see_whole_commits(index: Index) -> None:
    log = GrowingLog("run/events.out.tfevents.1.host")
    index.grow(log, _rows(0, 5))
    seen: list[int] = []

    def read(stop: threading.Event) -> None:
        last = 0
        while not stop.is_set():
            one, other = index.reader.scalars([run_id("run")], list(_TAGS), max_points=None)
            assert one.steps.tolist() == other.steps.tolist() == list(range(len(one.steps)))
            assert one.values.tolist() == one.steps.tolist()
            assert len(one.steps) >= last
            last = len(one.steps)
            (tags,) = (tags for name, tags in index.reader.series.tags(run_id("run")).items() if name == "scalars")
            assert all(tag.count >= last for tag in tags)
        seen.append(last)

    def write() -> None:
        for turn in range(1, 50):
            index.grow(log, _rows(5 * turn, 5 * turn + 5))
            index.writer.merge_small([log.file])

    _in_threads(3, read, write)

    assert len(seen) == 3
    assert [step for step, _ in index.points("run", "a")] == list(range(250))


def test_large_segments_are_replaced_under_the_eyes_of_readers(index: Index) -> None:
    """Segments in files of their own are deleted right after they were merged."""
    log = GrowingLog("run/events.out.tfevents.1.host")
    sizes: list[int] = []

    def large(turn: int) -> list[Point]:
        return [("a", step, step / 3) for step in range(turn * 5600, turn * 5600 + 5600)]

    index.grow(log, large(0))

    def read(stop: threading.Event) -> None:
        reader = index.new_reader()
        while not stop.is_set():
            (curve,) = reader.scalars([run_id("run")], ["a"], max_points=None)
            assert np.array_equal(curve.steps, np.arange(len(curve.steps)))
            sizes.append(len(curve.steps))

    def write() -> None:
        for turn in range(1, 10):
            index.grow(log, large(turn))
            index.writer.merge_small([log.file])
            time.sleep(0.01)

    _in_threads(2, read, write)

    assert sizes
    names = {path.name for path in index.location.segments.iterdir()}
    assert 1 <= len(names) <= 8


def test_files_start_over_and_vanish_under_the_eyes_of_readers(index: Index) -> None:
    log = GrowingLog("run/events.out.tfevents.1.host")
    stays = GrowingLog("stays/events.out.tfevents.1.host")
    index.grow(stays, _rows(0, 10))

    def read(stop: threading.Event) -> None:
        while not stop.is_set():
            for run in index.reader.runs.find()[1]:
                if run.name == "run":
                    assert run.bytes in (400, 600)
            curves = index.reader.scalars([run_id("stays")], ["a"])
            assert [curve.steps.tolist() for curve in curves] == [list(range(10))]

    def write() -> None:
        for _ in range(25):
            fresh = GrowingLog(log.file.name)
            index.grow(fresh, _rows(0, 2))
            index.grow(fresh, _rows(5, 8), starts_over=True)
            index.writer.commit([], [fresh.file])

    _in_threads(2, read, write)

    assert [run.name for run in index.reader.runs.find()[1]] == ["stays"]


def test_a_reader_may_be_there_before_the_index(location: IndexLocation) -> None:
    reader = IndexReader(location)
    assert reader.service().loading.state == "loading"
    assert reader.runs.find() == (0, [])
    assert reader.runs.cursor() == 0

    index = Index(location)
    index.grow(GrowingLog("run/events.out.tfevents.1.host"), _rows(0, 3))

    assert [run.name for run in reader.runs.find()[1]] == ["run"]
    assert len(reader.scalars([run_id("run")], ["a", "b"])) == 2
    index.writer.close()


def test_more_segments_than_the_cache_holds_are_read_again_and_again(index: Index) -> None:
    logs = [GrowingLog(f"{place}/events.out.tfevents.1.host") for place in range(10)]
    index.writer.commit([log.update(_rows(0, 50)) for log in logs])
    ids = [run_id(str(place)) for place in range(10)]
    reader = IndexReader(index.location, cache_bytes=5000)  # room for about two of ten segments

    for order in (ids, ids[::-1], ids[5:] + ids[:5], ids):
        curves = reader.scalars(order, ["b"])

        assert [curve.steps.tolist() for curve in curves] == [list(range(50))] * 10


def test_readers_do_not_notice_that_the_database_was_away_between_two_questions(index: Index) -> None:
    if not index.location.store_url:
        pytest.skip("SQLite has no connections to lose")
    import psycopg

    index.grow(GrowingLog("run/events.out.tfevents.1.host"), _rows(0, 3))
    assert index.points("run", "a")
    with psycopg.connect(index.location.store_url, autocommit=True) as server:
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")

    assert [run.name for run in index.reader.runs.find()[1]] == ["run"]
    index.reopen()


def test_indexes_share_a_workspace_and_a_database(tmp_path: Path, index: Index) -> None:
    base_dir = tmp_path / "other logs"
    base_dir.mkdir()
    location = index.location
    other = Index(IndexLocation.of(base_dir, location.folder.parent.parent, location.store_url))

    index.grow(GrowingLog("run/events.out.tfevents.1.host"), [("loss", 1, 1.0)])
    other.grow(GrowingLog("run/events.out.tfevents.1.host"), [("loss", 2, 2.0)])
    other.grow(GrowingLog("more/events.out.tfevents.1.host"), [("loss", 2, 2.0)])

    assert index.points("run", "loss") == [(1, 1.0)]
    assert other.points("run", "loss") == [(2, 2.0)]
    assert index.reader.runs.find()[0] == 1
    assert other.reader.runs.find()[0] == 2
    other.writer.close()
    open_database(other.location.database).erase()
    assert index.new_reader().runs.find()[0] == 1


def test_readers_in_several_threads_see_what_other_processes_load(tmp_path: Path) -> None:
    """Locks of SQLite belong to a process: whoever opens and closes the database's file beside it drops them all."""
    folder, workspace = tmp_path / "runs", tmp_path / "workspace"
    folder.mkdir()
    reader = IndexReader(IndexLocation.of(folder, workspace, ""))

    for count in range(1, 4):
        with mi.SummaryWriter(str(folder / f"run_{count}")) as writer:
            writer.add_scalar("loss", 1.0, 0)
        program = "import sys, mindinsight_like as mi; mi.open(sys.argv[1], workspace=sys.argv[2])"
        subprocess.run([sys.executable, "-c", program, str(folder), str(workspace)], check=True, timeout=60)
        thread = threading.Thread(target=reader.runs.find)  # with a connection of its own
        thread.start()
        thread.join()

        assert reader.runs.find()[0] == count


def test_a_process_with_another_sqlite_does_no_damage(tmp_path: Path) -> None:
    """As TensorFlow brings one: our layer below SQLite cannot be used then, and pages have no checksums."""
    library = ctypes.util.find_library("sqlite3")
    system = next((path for path in Path("/usr/lib").rglob(library or "none") if path.is_file()), None)
    if system is None:
        pytest.skip("Python has no SQLite library that could be there twice")
    other = tmp_path / "another-sqlite.so"
    # Under a name of its own, or the linker takes it for the same library.
    other.write_bytes(system.read_bytes().replace(b"libsqlite3.so.0\0", b"another_sql.so.0"[:15] + b"\0"))
    folder, workspace = tmp_path / "runs", tmp_path / "workspace"
    program = "import sys, mindinsight_like as mi; print(*mi.open(sys.argv[1], workspace=sys.argv[2]).names)"
    environments = [{}, {"LD_PRELOAD": str(other)}] * 2

    for count, environment in enumerate(environments):
        with mi.SummaryWriter(str(folder / f"run_{count}")) as writer:
            writer.add_scalar("loss", 1.0, 0)
        done = subprocess.run(
            [sys.executable, "-c", program, str(folder), str(workspace)],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=60,
        )

        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == [f"run_{each}" for each in range(count + 1)]
        assert "damage" not in done.stderr
    assert len(list((workspace / "index").iterdir())) == 2
