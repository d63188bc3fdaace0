"""Files that grow and runs that are new stay fresh while a backlog loads, and no file waits for another one's end."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindinsight_like.loader.following import SliceLimits
from mindinsight_like.loader.rounds import RestTimes
from mindinsight_like.logs.scanner import NATIVE
from mindinsight_like.writers.encoding import tensorboard

from .listening import listening
from .logs import (
    WALL,
    Loading,
    answers,
    append,
    assert_same,
    clean_answers,
    mindspore_records,
    tensorboard_records,
    visualdl_records,
    write,
)

_LOG = "events.out.tfevents.1.host"
_LONG_AGO = 1_000_000_000.0
_IMAGE_BYTES = 4 * 1024 * 1024


def _image(step: int) -> bytes:
    """A record with an image of some megabytes; nothing decodes it here."""
    image = tensorboard.image("huge", bytes([step % 251 + 1]) * _IMAGE_BYTES, width=1000, height=1000)
    return tensorboard.frame(tensorboard.event([image], step=step, wall_time=WALL + step))


def _backlog(base_dir: Path) -> int:
    """Old runs of huge images and long curves, of some slices each; gives their bytes."""
    images = b"".join(_image(step) for step in range(50))
    curves = b"".join(tensorboard_records("loss", range(1000 * part, 1000 * part + 1000)) for part in range(50))
    total = 0
    for place in range(3):
        total += write(base_dir / f"images {place}" / _LOG, images, mtime=_LONG_AGO + place).stat().st_size
        total += write(base_dir / f"curves {place}" / _LOG, curves * 25, mtime=_LONG_AGO + place).stat().st_size
    with (base_dir / "images 0" / _LOG).open("ab") as log:
        os.truncate(log.fileno(), 4 << 30)  # mostly a hole
    os.utime(base_dir / "images 0" / _LOG, (_LONG_AGO, _LONG_AGO))
    return total


@pytest.mark.skipif(not NATIVE, reason="some hundred megabytes take the Python twin too long")
def test_a_growing_file_is_fresh_after_every_slice_of_a_backlog(base_dir: Path, loading: Loading) -> None:
    log = write(base_dir / "live" / _LOG, tensorboard_records("loss", [0]))
    loading.round()
    _backlog(base_dir)
    loading.loader.look()

    slices, done = 0, []
    while True:
        append(log, tensorboard_records("loss", [slices + 1]))
        loading.loader.look_at_hot_files()
        is_busy = loading.loader.load_slice()
        assert loading.steps("live", "loss")[-1] == slices + 1
        slices += 1
        done.append(loading.reader.service().loading.bytes_done)
        if slices == 5:  # a run that begins meanwhile
            write(base_dir / "new" / _LOG, tensorboard_records("loss", range(3)))
            loading.loader.look()
        if slices == 7:
            assert "new" in loading.runs()
        if not is_busy or len(loading.loader._schedule) == 0:
            break

    assert slices >= 8
    assert len(set(done[:-1])) >= len(done) // 3  # progress is seen as it goes
    assert loading.steps("new", "loss") == [0, 1, 2]
    loading.round()
    assert loading.reader.service().loading.state == "idle"


@pytest.mark.skipif(not NATIVE, reason="some hundred megabytes take the Python twin too long")
def test_small_runs_do_not_wait_for_a_huge_one(base_dir: Path, loading: Loading) -> None:
    """Even though it is the newest."""
    write(base_dir / "huge" / _LOG, b"".join(_image(step) for step in range(60)))
    for place in range(200):
        write(base_dir / f"small {place}" / _LOG, tensorboard_records("loss", range(3)), mtime=_LONG_AGO + place)
    loading.loader.look()

    for _ in range(3):
        loading.loader.load_slice()
        loading.loader._commit_pending()

    assert len(loading.runs()) > 100
    assert f"huge/{_LOG}" in loading.loader._schedule
    loading.round()
    (run,) = [run for run in loading.reader.runs.find()[1] if run.name == "huge"]
    assert loading.reader.series.tags(run.id)["images"][0].count == 60


def test_touched_files_do_not_hold_up_a_growing_one(base_dir: Path, tmp_path: Path) -> None:
    """As after `chmod -R`: each has to be compared with what was read of it, however many gigabytes there are."""
    logs = [write(base_dir / f"old {n}" / _LOG, tensorboard_records("loss", range(2000))) for n in range(8)]
    live = write(base_dir / "live" / _LOG, tensorboard_records("loss", [0]))
    loading = Loading(base_dir, tmp_path / "workspace", limits=SliceLimits(seconds=0.0))
    try:
        loading.round()
        segments = loading.reader.connection.query("SELECT id FROM segments WHERE data IS NULL ORDER BY id")
        for log in logs:
            log.chmod(0o600)
        loading.loader.look()

        slices = 0
        while len(loading.loader._schedule) or not slices:
            slices += 1
            append(live, tensorboard_records("loss", [slices]))
            loading.loader.look_at_hot_files()
            loading.loader.load_slice()
            assert loading.steps("live", "loss")[-1] == slices

        assert slices >= len(logs)
        assert all(loading.steps(f"old {n}", "loss") == list(range(2000)) for n in range(8))
        assert segments == loading.reader.connection.query("SELECT id FROM segments WHERE data IS NULL ORDER BY id")
    finally:
        loading.close()


def test_a_large_touched_file_is_compared_in_slices(base_dir: Path, tmp_path: Path) -> None:
    content = b"".join(tensorboard_records("loss", range(1000 * part, 1000 * part + 1000)) for part in range(80))
    large = write(base_dir / "large" / _LOG, content, mtime=_LONG_AGO)
    live = write(base_dir / "live" / _LOG, tensorboard_records("loss", [0]))
    loading = Loading(base_dir, tmp_path / "workspace", limits=SliceLimits(seconds=0.0))
    try:
        loading.round()
        large.chmod(0o600)
        loading.loader.look()

        slices = 0
        while len(loading.loader._schedule) or not slices:
            slices += 1
            append(live, tensorboard_records("loss", [slices]))
            loading.loader.look_at_hot_files()
            loading.loader.load_slice()
            assert loading.steps("live", "loss")[-1] == slices
            assert len(loading.steps("large", "loss")) == 80_000  # what was read stays there meanwhile

        assert slices >= 4

        with large.open("r+b") as file:  # another middle of the same length
            file.seek(len(content) // 2)
            file.write(bytes(100))
        loading.round()
        assert len(loading.steps("large", "loss")) < 80_000
    finally:
        loading.close()


def test_a_file_may_vanish_while_it_is_compared(base_dir: Path, tmp_path: Path) -> None:
    content = b"".join(tensorboard_records("loss", range(1000 * part, 1000 * part + 1000)) for part in range(40))
    large = write(base_dir / "large" / _LOG, content)
    loading = Loading(base_dir, tmp_path / "workspace", limits=SliceLimits(seconds=0.0))
    try:
        loading.round()
        large.chmod(0o600)
        loading.loader.look()
        loading.loader.load_slice()
        assert f"large/{_LOG}" in loading.loader._schedule

        large.unlink()
        while loading.loader.load_slice():
            pass
        loading.round()

        assert loading.runs() == []
    finally:
        loading.close()


def test_files_at_rest_are_verified_in_slices_and_only_once(base_dir: Path, tmp_path: Path) -> None:
    """What was read while it grew is read once more, not by every loader that starts."""
    content = b"".join(tensorboard_records("loss", range(1000 * part, 1000 * part + 1000)) for part in range(20))
    logs = [write(base_dir / f"run {n}" / _LOG, content) for n in range(6)]
    never = RestTimes(verified_after_seconds=1e9)
    loading = Loading(base_dir, tmp_path / "workspace", rest=never)
    try:
        loading.round()
        for log in logs:
            append(log, tensorboard_records("loss", range(20_000, 20_010)))
        loading.round()
    finally:
        loading.close()

    at_once = RestTimes(verified_after_seconds=0.0, verified_bytes_per_second=1e12, warned_after_seconds=1e9)
    loading = Loading(base_dir, tmp_path / "workspace", rest=at_once, limits=SliceLimits(seconds=0.0))
    unverified = "SELECT COUNT(*) FROM files WHERE verified = 0"
    try:
        before = loading.reader.runs.changes(0)
        left: list[int] = []
        while not left or left[-1]:
            loading.loader.look()
            left += [count for (count,) in loading.reader.connection.query(unverified)]

        assert len(left) >= 6
        assert loading.reader.runs.changes(0) == before  # nothing has changed for who looks at it
        loading.restart()
        with listening() as opened:
            loading.round()
        assert [path for path in opened if "tfevents" in path] == []
    finally:
        loading.close()


def test_a_hole_of_a_sparse_file_is_one_warning_and_costs_nothing(base_dir: Path, loading: Loading) -> None:
    log = write(base_dir / "run" / _LOG, tensorboard_records("before", range(3)))
    begin = log.stat().st_size
    hole = 40 << 30
    with log.open("r+b") as file:
        file.truncate(begin + hole)
        file.seek(begin + hole)
        file.write(tensorboard_records("after", range(3)))
    if log.stat().st_blocks * 512 > 1 << 20:
        pytest.skip("this file system has no sparse files")

    before = time.process_time()
    loading.round()

    assert time.process_time() - before < 5  # reading it would take minutes
    assert loading.steps("run", "before") == loading.steps("run", "after") == [0, 1, 2]
    run = loading.reader.runs.get(loading.id_of("run"))
    assert [(warning.offset, warning.kind) for warning in run.warnings] == [(begin, "length_checksum")]
    assert f"{hole} bytes were skipped" in run.warnings[0].message


def test_a_file_that_ends_with_a_hole_goes_on_where_data_comes(base_dir: Path, loading: Loading) -> None:
    log = write(base_dir / "run" / _LOG, tensorboard_records("before", range(3)))
    begin = log.stat().st_size
    os.truncate(log, 1 << 30)
    loading.round()
    (file,) = loading.reader.runs.files(loading.id_of("run"))
    assert (1 << 30) - 20 < file.offset <= 1 << 30

    append(log, tensorboard_records("after", range(3)))
    loading.round()

    assert loading.steps("run", "after") == [0, 1, 2]
    run = loading.reader.runs.get(loading.id_of("run"))
    assert [warning.offset for warning in run.warnings] == [begin]


def test_a_loader_stopped_between_slices_of_a_file_goes_on_with_it(base_dir: Path, tmp_path: Path) -> None:
    """Though the file has not changed since."""
    content = tensorboard_records("loss", range(2000))
    write(base_dir / "run" / _LOG, content, mtime=_LONG_AGO)
    loading = Loading(base_dir, tmp_path / "workspace", limits=SliceLimits(bytes=len(content) // 5))
    try:
        loading.loader.look()
        loading.loader.load_slice()
        loading.loader._commit_pending()
        assert 0 < len(loading.steps("run", "loss")) < 2000

        loading.restart()
        loading.round()

        assert loading.steps("run", "loss") == list(range(2000))
        assert_same(answers(loading.reader), clean_answers(base_dir, tmp_path / "clean"))
    finally:
        loading.close()


def test_a_slice_ends_with_one_commit_of_new_series(base_dir: Path, tmp_path: Path) -> None:
    """Each becomes a row of the database: a run that is being written would wait for all of them."""
    tags = [f"{number:0100d}" for number in range(20_000)]
    write(base_dir / "run" / _LOG, b"".join(tensorboard_records(tag, range(1)) for tag in tags))
    loading = Loading(base_dir, tmp_path / "workspace", limits=SliceLimits(keys=1000))
    try:
        loading.loader.look()
        loading.loader.load_slice()
        assert 0 < len(loading.reader.series.tags(loading.id_of("run"))["scalars"]) < 10_000

        loading.round()

        assert loading.reader.runs.get(loading.id_of("run")).counts["scalars"] == 20_000
    finally:
        loading.close()


_CONTENTS = {
    "tb/events.out.tfevents.1.host": tensorboard_records("loss", range(60)) + tensorboard_records("other", range(9)),
    "damaged/events.out.tfevents.1.host": tensorboard_records("loss", range(9))
    + bytes(70)
    + tensorboard_records("loss", range(9, 30)),
    "ms/events.out.events.summary.1.0.host_MS": mindspore_records("loss", range(40)),
    "vdl/vdlrecords.1.log": visualdl_records("loss", range(40)),
}


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(data=st.data())
def test_slices_of_any_size_stopped_anywhere_give_the_answers_of_one_load(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("slices")
    base_dir = folder / "logs"
    limits = SliceLimits(bytes=data.draw(st.integers(1, 3000)), keys=data.draw(st.integers(1, 5)))
    for name, content in _CONTENTS.items():
        write(base_dir / name, content[: data.draw(st.integers(0, len(content)))])
    loading = Loading(base_dir, folder / "workspace", limits=limits)
    try:
        few_series = data.draw(st.sampled_from([1, 1000]))  # from which on tags are not counted in every commit
        monkeypatch.setattr("mindinsight_like.store.rows.run_summaries._MANY_SERIES", few_series)
        loading.loader.look()
        for action in data.draw(st.lists(st.sampled_from(["slice", "grow", "restart", "look", "hot"]), max_size=40)):
            if action == "slice":
                loading.loader.load_slice()
            elif action == "restart":
                loading.restart()
            elif action == "look":
                loading.loader.look()
            elif action == "hot":
                loading.loader.look_at_hot_files()
            else:
                name = data.draw(st.sampled_from(sorted(_CONTENTS)))
                size = (base_dir / name).stat().st_size
                more = data.draw(st.integers(0, len(_CONTENTS[name]) - size))
                append(base_dir / name, _CONTENTS[name][size : size + more])
        loading.round()

        assert_same(answers(loading.reader), clean_answers(base_dir, folder / "clean"))
    finally:
        loading.close()
