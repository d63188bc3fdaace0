"""Changes are found where folders announce them, and where they do not."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindinsight_like.loader.watches import FolderWatch

from .logs import Loading, answers, append, assert_same, clean_answers, tensorboard_records, write
from .test_idle import listening

_LOG = "events.out.tfevents.1.host"
_MANY = 100_000


def _make(base_dir: Path, count: int = 20) -> list[Path]:
    content = tensorboard_records("loss", range(3))
    return [write(base_dir / f"{place % 4}/{place}" / _LOG, content) for place in range(count)]


@pytest.fixture
def watching(base_dir: Path, tmp_path: Path) -> Iterator[Loading]:
    made = Loading(base_dir, tmp_path / "workspace", most_watches=_MANY)
    yield made
    made.close()


def _hear(loading: Loading) -> None:
    """Look at nothing but what was announced, and load it."""
    loading.loader._hot.clear()
    loading.loader.round_over_hot_files()


def test_a_folder_at_rest_that_announces_changes_is_not_looked_at(base_dir: Path, watching: Loading) -> None:
    _make(base_dir)
    time.sleep(3.1)  # from then on a change shows in the folder's time
    watching.round()

    with listening() as opened:
        for _ in range(20):
            _hear(watching)

    assert [path for path in opened if path.startswith(str(base_dir))] == []


def test_growth_new_files_and_deletions_are_announced(base_dir: Path, watching: Loading) -> None:
    logs = _make(base_dir)
    watching.round()
    append(logs[3], tensorboard_records("loss", [3]))
    write(base_dir / "new/deep" / _LOG, tensorboard_records("loss", range(2)))
    write(base_dir / "1/1/events.out.tfevents.2.host", tensorboard_records("other", range(2)))
    shutil.rmtree(base_dir / "2/2")

    _hear(watching)

    assert watching.steps("3/3", "loss") == [0, 1, 2, 3]
    assert watching.steps("new/deep", "loss") == [0, 1]
    assert watching.steps("1/1", "other") == [0, 1]
    assert "2/2" not in watching.runs()
    append(base_dir / "new/deep" / _LOG, tensorboard_records("loss", [2]))
    _hear(watching)
    assert watching.steps("new/deep", "loss") == [0, 1, 2]


def test_moved_folders_are_found_by_the_next_look(base_dir: Path, watching: Loading) -> None:
    logs = _make(base_dir)
    watching.round()
    (base_dir / "0").rename(base_dir / "away")
    (base_dir / "1").rename(base_dir / "0")
    (base_dir / "away").rename(base_dir / "1")
    watching.loader.look()
    append(base_dir / "1" / logs[4].relative_to(base_dir / "0"), tensorboard_records("loss", [3]))

    _hear(watching)

    assert watching.steps("1/4", "loss") == [0, 1, 2, 3]
    assert {"0/1", "1/0", "1/4"} < set(watching.runs())
    assert "0/4" not in watching.runs()


def test_a_folder_made_anew_under_its_name_is_watched_again(base_dir: Path, watching: Loading) -> None:
    log = _make(base_dir)[5]
    watching.round()
    shutil.rmtree(log.parent)
    write(log, tensorboard_records("other", range(2)))
    _hear(watching)
    assert watching.steps("1/5", "other") == [0, 1]

    append(log, tensorboard_records("other", [2]))
    _hear(watching)

    assert watching.steps("1/5", "other") == [0, 1, 2]


def test_a_file_that_turns_out_to_be_a_model_is_found(base_dir: Path, watching: Loading) -> None:
    model = write(base_dir / "run/net.json", b"")
    write(base_dir / "run" / _LOG, tensorboard_records("loss", range(3)))
    watching.round()

    append(model, b'{"base_code": {"magic": "pir", "trainable": true}}')
    _hear(watching)

    assert "paddle" in watching.reader.runs.get(watching.id_of("run")).dialects


def test_a_file_behind_a_link_is_followed(base_dir: Path, watching: Loading) -> None:
    log = write(base_dir / "a" / _LOG, tensorboard_records("loss", range(3)))
    (base_dir / "best").mkdir()
    (base_dir / "best" / _LOG).symlink_to(log)
    watching.round()
    watching.loader._hot.clear()

    append(log, tensorboard_records("loss", [3]))
    watching.loader.look()
    while watching.loader.load_slice():
        pass

    assert watching.steps("best", "loss") == watching.steps("a", "loss") == [0, 1, 2, 3]


def _until(loading: Loading, condition: Callable[[], bool], looks: int) -> None:
    for _ in range(looks):
        loading.loader._hot.clear()
        loading.loader.look()
        while loading.loader.load_slice():
            pass
        if condition():
            return
    raise AssertionError("it was not found")


@pytest.mark.parametrize("most_watches", [0, 7], ids=["nothing watched", "watches run out"])
def test_folders_that_are_not_watched_are_looked_at_in_turn(base_dir: Path, tmp_path: Path, most_watches: int) -> None:
    logs = _make(base_dir, 60)
    loading = Loading(base_dir, tmp_path / "workspace", most_watches=most_watches)
    try:
        loading.round()
        for log in logs[::7]:
            append(log, tensorboard_records("loss", [3]))
        write(base_dir / "new" / _LOG, tensorboard_records("loss", range(2)))
        shutil.rmtree(base_dir / "2/2")

        _until(
            loading,
            lambda: (
                all(len(loading.steps(str(log.parent.relative_to(base_dir)), "loss")) == 4 for log in logs[::7])
                and "new" in loading.runs()
                and "2/2" not in loading.runs()
            ),
            looks=200,
        )
    finally:
        loading.close()


def test_a_file_that_grows_unannounced_is_found_and_its_folder_not_relied_on(
    base_dir: Path, watching: Loading, tmp_path: Path
) -> None:
    """Written to under another name, outside of the base dir."""
    logs = _make(base_dir)
    os.link(logs[0], tmp_path / "other name")
    time.sleep(3.1)  # from then on folders count as settled
    watching.round()

    append(tmp_path / "other name", tensorboard_records("loss", [3]))
    _until(watching, lambda: watching.steps("0/0", "loss") == [0, 1, 2, 3], looks=200)

    assert str(logs[0].parent) in watching.loader._discovery._unreliable
    assert len(watching.loader._discovery._unreliable) == 1


def test_watches_count_and_go_with_their_folders(tmp_path: Path) -> None:
    folders = [tmp_path / str(place) for place in range(5)]
    for folder in folders:
        folder.mkdir()
    watch = FolderWatch(most=3)
    device = tmp_path.stat().st_dev
    assert [watch.add(str(folder), device) for folder in folders] == [True, True, True, False, False]
    assert len(watch) == 3

    folders[0].rmdir()
    assert watch.read().folders == {str(folders[0])}
    assert len(watch) == 2
    assert watch.add(str(folders[4]), device)
    (folders[4] / "file").write_text("x")
    assert watch.read().folders == {str(folders[4])}
    (folders[4] / "file").write_text("y")
    assert watch.read().files == {(str(folders[4]), "file")}
    folders[4].rename(tmp_path / "moved")
    assert watch.read().is_incomplete
    watch.close()


def test_more_events_than_the_system_keeps_are_noticed(tmp_path: Path) -> None:
    watch = FolderWatch(most=3)
    watch.add(str(tmp_path), tmp_path.stat().st_dev)
    kept = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for place in range(kept // 2 + 10):
        (tmp_path / str(place % 2)).write_text("x" * (place % 3))
    announced = watch.read()

    assert announced.is_incomplete or announced.folders == {str(tmp_path)}
    watch.close()


_CONTENT = tensorboard_records("loss", range(30))
_ACTIONS = st.tuples(
    st.sampled_from(
        ["grow", "grow", "cut", "replace", "delete", "new", "move", "move folder", "delete folder", "hear", "look"]
    ),
    st.integers(0, 5),
    st.integers(0, 5),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(actions=st.lists(_ACTIONS, max_size=30))
def test_any_changes_below_watched_folders_give_the_answers_of_a_fresh_index(
    tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[str, int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("watching")
    base_dir = folder / "logs"
    for place in range(4):
        write(base_dir / f"{place}/run" / _LOG, _CONTENT[: 100 * place])
    loading = Loading(base_dir, folder / "workspace", most_watches=_MANY)
    try:
        loading.round()
        for number, (action, one, other) in enumerate(actions):
            log = base_dir / f"{one}/run" / _LOG
            match action:
                case "grow" if log.exists():
                    append(log, _CONTENT[log.stat().st_size :][: 50 + number])
                case "cut" if log.exists():
                    os.truncate(log, log.stat().st_size // 2)
                case "replace" if log.exists():
                    write(log.with_name("new"), tensorboard_records("other", range(number))).rename(log)
                case "delete" if log.exists():
                    log.unlink()
                case "new":
                    write(log, tensorboard_records("new", range(number)))
                case "move" if log.exists() and (base_dir / f"{other}/run").exists():
                    log.rename(base_dir / f"{other}/run" / _LOG)
                case "move folder" if (base_dir / str(one)).exists() and not (base_dir / str(other)).exists():
                    (base_dir / str(one)).rename(base_dir / str(other))
                case "delete folder" if (base_dir / str(one)).exists():
                    shutil.rmtree(base_dir / str(one))
                case "hear":
                    _hear(loading)
                case "look":
                    loading.loader.look()
        loading.loader.look()  # of moved folders, and folders still changing
        _hear(loading)

        assert_same(answers(loading.reader), clean_answers(base_dir, folder / "clean"))
    finally:
        loading.close()
