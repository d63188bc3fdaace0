"""Files and folders that come, change, move and go."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mindinsight_like.loader.discovery import FoundFile
from mindinsight_like.loader.following import LogReading
from mindinsight_like.loader.lock import AlreadyLocked
from mindinsight_like.loader.once import load_index
from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.logs.names import classify
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.files import TrackedFile
from mindinsight_like.store.reader import IndexReader
from tests.conftest import let_anybody_in

from .logs import (
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


def _long_ago(folder: Path) -> None:
    """Folders whose time lies well in the past, as those of finished trainings."""
    for path in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
        os.utime(path, (1e9, 1e9))


def test_the_base_dir_itself_may_be_a_run(base_dir: Path, loading: Loading) -> None:
    write(base_dir / _LOG, tensorboard_records("loss", range(2)))
    write(base_dir / "a/b/c/d" / _LOG, tensorboard_records("loss", range(3)))

    loading.round()

    assert loading.runs() == [".", "a/b/c/d"]
    assert loading.steps(".", "loss") == [0, 1]


def test_an_empty_base_dir_and_empty_files_are_ordinary(base_dir: Path, loading: Loading) -> None:
    loading.round()
    assert loading.runs() == []
    assert loading.reader.service().loading.state == "idle"

    write(base_dir / "run" / _LOG, b"")
    write(base_dir / "notes.txt", b"nothing of ours")
    loading.round()

    assert loading.runs() == ["run"]
    assert loading.reader.series.tags(loading.id_of("run"))["scalars"] == []


def test_new_files_and_folders_are_found_whatever_the_folders_times_say(base_dir: Path, loading: Loading) -> None:
    """Copying tools set the times of folders back after they have put files there."""
    write(base_dir / "one" / _LOG, tensorboard_records("loss", range(2)))
    _long_ago(base_dir)
    loading.round()
    loading.round()

    write(base_dir / "one/events.out.tfevents.2.host", tensorboard_records("other", range(2)))
    write(base_dir / "two/deep" / _LOG, tensorboard_records("loss", range(2)))
    _long_ago(base_dir)
    loading.round()

    assert loading.runs() == ["one", "two/deep"]
    assert loading.steps("one", "other") == [0, 1]


def test_a_replaced_file_starts_over(base_dir: Path, loading: Loading) -> None:
    log = write(base_dir / "run" / _LOG, tensorboard_records("loss", range(10)))
    loading.round()

    write(log, tensorboard_records("other", range(30)))
    loading.round()

    assert [tag.tag for tag in loading.reader.series.tags(loading.id_of("run"))["scalars"]] == ["other"]
    assert loading.steps("run", "other") == list(range(30))


def test_a_file_replaced_by_one_of_the_same_size_starts_over(base_dir: Path, loading: Loading) -> None:
    log = write(base_dir / "run" / _LOG, tensorboard_records("loss", range(10)))
    loading.round()

    write(log.with_name("new"), tensorboard_records("loss", range(10), value=100.0))
    assert log.with_name("new").stat().st_size == log.stat().st_size
    log.with_name("new").rename(log)
    loading.round()

    assert loading.points("run", "loss") == [(step, 100.0 + step) for step in range(10)]


def test_a_copy_in_place_of_a_file_goes_on(base_dir: Path, loading: Loading) -> None:
    """As when a folder is synchronised again and again: another file, but the same beginning."""
    log = write(base_dir / "run" / _LOG, tensorboard_records("loss", range(10)))
    loading.round()
    before = loading.reader.runs.files(loading.id_of("run"))

    write(log.with_name("new"), tensorboard_records("loss", range(20)))
    log.with_name("new").rename(log)
    loading.round()

    assert loading.steps("run", "loss") == list(range(20))
    assert loading.reader.runs.files(loading.id_of("run")) != before


def test_a_truncated_file_starts_over(base_dir: Path, loading: Loading) -> None:
    content = tensorboard_records("loss", range(10))
    log = write(base_dir / "run" / _LOG, content)
    loading.round()

    os.truncate(log, len(content) // 2)
    loading.round()
    assert loading.steps("run", "loss") == [0, 1, 2, 3, 4]

    os.truncate(log, 0)
    loading.round()
    assert loading.reader.series.tags(loading.id_of("run"))["scalars"] == []

    append(log, tensorboard_records("again", range(3)))
    loading.round()
    assert loading.steps("run", "again") == [0, 1, 2]
    assert loading.reader.runs.get(loading.id_of("run")).warnings == []


def test_deleted_files_and_folders_go(base_dir: Path, loading: Loading) -> None:
    for name in ("a/x", "a/y", "b"):
        write(base_dir / name / _LOG, tensorboard_records("loss", range(3)))
    second = write(base_dir / "b/events.out.tfevents.2.host", tensorboard_records("more", range(3)))
    loading.round()
    cursor, gone = loading.reader.runs.cursor(), {loading.id_of("a/x"), loading.id_of("a/y")}

    shutil.rmtree(base_dir / "a")
    second.unlink()
    loading.round()

    assert loading.runs() == ["b"]
    assert [tag.tag for tag in loading.reader.series.tags(loading.id_of("b"))["scalars"]] == ["loss"]
    changes = loading.reader.runs.changes(cursor)
    assert set(changes.removed) == gone
    assert changes.runs == [loading.id_of("b")]
    shutil.rmtree(base_dir / "b")
    loading.round()
    assert loading.runs() == []


def test_a_moved_run_has_its_new_name(base_dir: Path, loading: Loading) -> None:
    write(base_dir / "old" / _LOG, tensorboard_records("loss", range(3)))
    loading.round()

    (base_dir / "old").rename(base_dir / "new")
    loading.round()

    assert loading.runs() == ["new"]
    assert loading.steps("new", "loss") == [0, 1, 2]


def test_a_base_dir_that_is_away_for_a_while_loses_nothing(base_dir: Path, loading: Loading, tmp_path: Path) -> None:
    write(base_dir / "run" / _LOG, tensorboard_records("loss", range(3)))
    loading.round()
    before, cursor = answers(loading.reader), loading.reader.runs.cursor()

    base_dir.rename(tmp_path / "away")
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            loading.round()
        loading.loader.round_over_hot_files()
    assert_same(answers(loading.reader), before)
    (tmp_path / "away").rename(base_dir)
    loading.round()

    assert_same(answers(loading.reader), before)
    assert loading.reader.runs.cursor() == cursor


# --- links ------------------------------------------------------------------------------------------------------


def test_links_out_of_the_base_dir_are_not_followed(base_dir: Path, loading: Loading, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside/run" / _LOG, tensorboard_records("secret", range(3)))
    write(tmp_path / "logs-of-others" / _LOG, tensorboard_records("secret", range(3)))  # its name begins like ours
    (base_dir / "folder").symlink_to(outside.parent)
    (base_dir / "sibling").symlink_to(tmp_path / "logs-of-others")
    (base_dir / _LOG).symlink_to(outside)
    (base_dir / "events.out.tfevents.2.host").symlink_to(tmp_path / "logs-of-others" / _LOG)
    (base_dir / "events.out.tfevents.3.host").symlink_to("../outside/run/" + _LOG)
    write(base_dir / "inside" / _LOG, tensorboard_records("loss", range(3)))

    loading.round()

    assert loading.runs() == ["inside"]


def test_a_file_exchanged_for_a_link_outwards_is_not_read(base_dir: Path, loading: Loading, tmp_path: Path) -> None:
    outside = write(tmp_path / "outside" / _LOG, tensorboard_records("loss", range(3)))
    log = write(base_dir / "run" / _LOG, tensorboard_records("loss", range(1)))
    loading.round()

    log.unlink()
    log.symlink_to(outside)
    loading.loader.round_over_hot_files()

    assert loading.steps("run", "loss") == [0]
    loading.round()
    assert loading.runs() == []


def test_links_inside_and_loops_are_harmless(base_dir: Path, loading: Loading) -> None:
    write(base_dir / "a/run" / _LOG, tensorboard_records("loss", range(3)))
    (base_dir / "again").symlink_to(base_dir / "a")
    (base_dir / "a/up").symlink_to(base_dir)
    (base_dir / "a/self").symlink_to("self")
    (base_dir / "events.out.tfevents.9.loop").symlink_to("events.out.tfevents.9.loop")
    (base_dir / "events.out.tfevents.9.dangling").symlink_to("nowhere")

    loading.round()

    assert loading.runs() == ["a/run"]
    assert loading.steps("a/run", "loss") == [0, 1, 2]


def test_a_link_to_a_log_inside_is_followed(base_dir: Path, loading: Loading) -> None:
    log = write(base_dir / "a" / _LOG, tensorboard_records("loss", range(3)))
    (base_dir / "best").mkdir()
    (base_dir / "best" / _LOG).symlink_to(log)

    loading.round()
    append(log, tensorboard_records("loss", [3]))
    loading.round()

    assert loading.steps("a", "loss") == loading.steps("best", "loss") == [0, 1, 2, 3]


def test_a_base_dir_may_be_a_link_itself(base_dir: Path, tmp_path: Path) -> None:
    write(base_dir / "run" / _LOG, tensorboard_records("loss", range(3)))
    (tmp_path / "link").symlink_to(base_dir)
    location = IndexLocation.of(tmp_path / "link", tmp_path / "workspace")

    load_index(location)

    assert [run.name for run in IndexReader(location).runs.find()[1]] == ["run"]


# --- what cannot be read ----------------------------------------------------------------------------------------


@contextmanager
def _as_nobody() -> Iterator[None]:
    """Without the rights of root, for whom every file is readable."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def shared(tmp_path: Path, base_dir: Path) -> Iterator[Loading]:
    """A loader whose folders any user may enter and write to."""
    let_anybody_in(tmp_path)
    workspace = tmp_path / "workspace"
    workspace.mkdir(mode=0o777)
    workspace.chmod(0o777)
    with _as_nobody():
        made = Loading(base_dir, workspace)
        yield made
        made.close()


@contextmanager
def _as_root() -> Iterator[None]:
    """Back to the rights that the test began with."""
    was = os.geteuid()
    if os.getuid() == 0:
        os.seteuid(0)
    try:
        yield
    finally:
        if os.getuid() == 0:
            os.seteuid(was)


def test_an_unreadable_file_is_a_warning_and_the_rest_loads(base_dir: Path, shared: Loading) -> None:
    with _as_root():
        closed = write(base_dir / "run" / _LOG, tensorboard_records("closed", range(3)))
        write(base_dir / "run/events.out.tfevents.2.host", tensorboard_records("open", range(3)))
        closed.chmod(0o000)

    for _ in range(3):
        shared.round()

    run = shared.reader.runs.get(shared.id_of("run"))
    assert [(warning.file, warning.offset, warning.kind) for warning in run.warnings] == [
        (f"run/{_LOG}", 0, "unreadable")
    ]
    assert run.warning_count == 1
    assert "Permission denied" in run.warnings[0].message
    assert shared.steps("run", "open") == [0, 1, 2]

    with _as_root():
        closed.chmod(0o644)
    shared.round()
    assert shared.steps("run", "closed") == [0, 1, 2]


@pytest.mark.parametrize("mode", [0o000, 0o444])
def test_a_folder_that_closes_keeps_what_was_read(base_dir: Path, shared: Loading, mode: int) -> None:
    with _as_root():
        write(base_dir / "closes/below" / _LOG, tensorboard_records("loss", range(3)))
        write(base_dir / "closes" / _LOG, tensorboard_records("loss", range(3)))
        write(base_dir / "open" / _LOG, tensorboard_records("loss", range(3)))
    shared.round()
    with _as_root():
        (base_dir / "closes").chmod(mode)
        append(base_dir / "open" / _LOG, tensorboard_records("loss", [3]))

    for _ in range(2):
        shared.round()

    assert shared.runs() == ["closes", "closes/below", "open"]
    assert shared.steps("open", "loss") == [0, 1, 2, 3]
    with _as_root():
        (base_dir / "closes").chmod(0o755)
        shutil.rmtree(base_dir / "closes/below")
    shared.round()
    assert shared.runs() == ["closes", "open"]


def test_a_closed_folder_is_logged_once(base_dir: Path, shared: Loading, caplog: pytest.LogCaptureFixture) -> None:
    with _as_root():
        write(base_dir / "closed" / _LOG, tensorboard_records("loss", range(3)))
        (base_dir / "closed").chmod(0o000)

    for _ in range(3):
        shared.round()

    assert caplog.text.count("cannot list") == 1


def test_things_that_are_no_files_are_passed_by(base_dir: Path, loading: Loading) -> None:
    os.mkfifo(base_dir / _LOG)
    write(base_dir / "vdlrecords.1.log/inner" / _LOG, tensorboard_records("loss", range(3)))  # a folder named so

    loading.round()

    assert loading.runs() == ["vdlrecords.1.log/inner"]


def test_a_file_that_fails_to_be_read_is_a_warning(base_dir: Path) -> None:
    """Opening a folder succeeds, and every read of it fails, as with a broken disk."""
    folder = base_dir / "run" / _LOG
    folder.mkdir(parents=True)
    kind = classify(_LOG)
    assert kind is not None
    found = FoundFile(f"run/{_LOG}", "run", kind, 4096, 1)

    update = LogReading(BaseDirs(str(base_dir)), lambda file: []).read(found, None)

    assert update is not None
    assert [trouble.kind for trouble in update.troubles] == ["unreadable"]
    assert update.file.mtime_ns == 0
    assert LogReading(BaseDirs(str(base_dir)), lambda file: []).read(found, update.file) is None


def test_a_file_cut_while_it_is_read_does_not_hold_up_the_loader(base_dir: Path) -> None:
    content = tensorboard_records("loss", range(3))
    log = write(base_dir / "run" / _LOG, content[: len(content) // 3 + 5])
    kind = classify(_LOG)
    assert kind is not None

    def found() -> FoundFile:
        return FoundFile(f"run/{_LOG}", "run", kind, log.stat().st_size, 1)

    first = LogReading(BaseDirs(str(base_dir)), lambda file: []).read(found(), None)
    assert first is not None
    assert first.file.position > 0
    append(log, content[log.stat().st_size :])

    def cut(file: TrackedFile) -> list[bytes]:
        """Called between the look at the file's size and the reading of its bytes."""
        os.truncate(log, file.position + 10)
        return [first.keys[number] for number in range(len(first.keys))]

    update = LogReading(BaseDirs(str(base_dir)), cut).read(found(), first.file)

    assert update is not None
    assert update.file.position == first.file.position
    assert update.batch is not None
    assert update.batch.damage == []


# --- odd names --------------------------------------------------------------------------------------------------


def test_names_that_are_not_utf_8_are_followed(base_dir: Path, loading: Loading) -> None:
    folder = os.fsencode(base_dir) + b"/caf\xe9\xff"
    path = Path(os.fsdecode(folder + b"/events.out.tfevents.1.h\xf6st"))
    write(path, tensorboard_records("loss", range(3)))
    loading.round()
    append(path, tensorboard_records("loss", [3]))
    loading.round()

    (run,) = loading.reader.runs.find()[1]

    run.name.encode()  # is text
    assert run.name.startswith("caf")
    assert loading.steps(run.name, "loss") == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "name", ["训练/第一", "a b\tc", "100%", 'it\'s "it"', "\\", "\uf7a5private", "e\u0301", "x" * 200, "-", "nul\x01"]
)
def test_any_folder_name_is_a_run(base_dir: Path, loading: Loading, name: str) -> None:
    log = write(base_dir / name / _LOG, tensorboard_records("loss", range(3)))
    loading.round()
    append(log, tensorboard_records("loss", [3]))
    loading.round()

    (run,) = loading.runs()
    assert run == name or name.startswith("\uf7a5")  # stands for itself less nicely
    assert loading.steps(run, "loss") == [0, 1, 2, 3]


# --- VisualDL 1.x -----------------------------------------------------------------------------------------------


def test_a_visualdl_1_folder_that_is_rewritten_starts_over(corpus: Path, base_dir: Path, loading: Loading) -> None:
    source, folder = corpus / "visualdl-1.3-legacy/logistic", base_dir / "run"
    shutil.copytree(source, folder)
    loading.round()
    before = answers(loading.reader)
    steps = loading.steps("run", "train/scalars/loss")
    assert len(steps) > 10

    # It is written anew as a whole whenever there is something new.
    tablet = folder / "train%scalars%loss"
    shutil.copy(folder / "test%scalars%loss", tablet)
    loading.round()
    assert loading.points("run", "train/scalars/loss") == loading.points("run", "test/scalars/loss")

    shutil.copy(source / "train%scalars%loss", tablet)
    loading.round()
    after = answers(loading.reader)
    after["run"]["updated_at"] = before["run"]["updated_at"]
    assert_same(after, before)

    (folder / "storage.meta").unlink()
    loading.round()
    assert loading.runs() == []


# --- the base dir stays as it is --------------------------------------------------------------------------------


def _listing(folder: Path) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns, content)
    return found


def test_a_read_only_base_dir_is_read_and_left_unchanged(base_dir: Path, shared: Loading) -> None:
    with _as_root():
        write(base_dir / "tb" / _LOG, tensorboard_records("loss", range(30)) + b"cut")
        write(base_dir / "ms/events.out.events.summary.1.0.host_MS", mindspore_records("loss", range(30)))
        write(base_dir / "vdl/vdlrecords.1.log", visualdl_records("loss", range(30)))
        for path in [*base_dir.rglob("*"), base_dir]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        before = _listing(base_dir)

    for _ in range(2):
        shared.round()

    with _as_root():
        assert _listing(base_dir) == before
        base_dir.chmod(0o755)
    assert shared.runs() == ["ms", "tb", "vdl"]


def test_only_one_loader_writes_an_index(base_dir: Path, loading: Loading) -> None:
    with pytest.raises(AlreadyLocked):
        load_index(loading.location)

    loading.round()


def test_a_second_start_knows_all_files(base_dir: Path, loading: Loading, tmp_path: Path) -> None:
    log = write(base_dir / "run" / _LOG, tensorboard_records("loss", range(3)))
    loading.round()
    cursor = loading.reader.runs.cursor()
    loading.restart()
    loading.round()
    assert loading.reader.runs.cursor() == cursor
    append(log, tensorboard_records("loss", [3]) + tensorboard_records("new", [0]))
    loading.round()

    assert loading.steps("run", "loss") == [0, 1, 2, 3]
    assert_same(answers(loading.reader), clean_answers(base_dir, tmp_path / "clean"))
