"""Rounds in which nothing is new cost next to nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindinsight_like.loader.rounds import RestTimes

from .listening import listening
from .logs import Loading, append, tensorboard_records, write

AT_ONCE, NEVER = 0.0, 1e9


@pytest.fixture
def loading(request: pytest.FixtureRequest, base_dir: Path, tmp_path: Path) -> Iterator[Loading]:
    """A loader that verifies logs in the round that reads them, or never.

    By default it opens them once more 5 s after they were written, which falls into any round of a busy machine.
    """
    rest = RestTimes(verified_after_seconds=getattr(request, "param", NEVER))
    made = Loading(base_dir, tmp_path / "workspace", rest=rest)
    yield made
    made.close()


def _many(base_dir: Path, count: int) -> list[Path]:
    content = tensorboard_records("loss", range(3))
    return [write(base_dir / f"{place % 20}/{place}/events.out.tfevents.1.host", content) for place in range(count)]


def _read_characters() -> int:
    for line in Path("/proc/thread-self/io").read_text().splitlines():
        if line.startswith("rchar:"):
            return int(line.split()[1])
    raise AssertionError("the system does not count what a thread reads")


@pytest.mark.parametrize("loading", [AT_ONCE, NEVER], ids=["verified", "unverified"], indirect=True)
def test_a_round_with_nothing_new_opens_no_log(base_dir: Path, loading: Loading) -> None:
    _many(base_dir, 200)
    loading.round()

    with listening() as opened:
        before = _read_characters()
        for _ in range(3):
            loading.round()
            loading.loader.round_over_hot_files()
        read = _read_characters() - before

    assert [path for path in opened if "tfevents" in path] == []
    assert read < 20_000  # what the counting itself and the database's own look at its files take


@pytest.mark.parametrize("loading", [AT_ONCE, NEVER], ids=["verified", "unverified"], indirect=True)
def test_a_round_opens_only_what_has_grown(base_dir: Path, loading: Loading) -> None:
    logs = _many(base_dir, 50)
    loading.round()
    append(logs[7], tensorboard_records("loss", [3]))

    with listening() as opened:
        loading.round()

    assert {path for path in opened if "tfevents" in path} == {str(logs[7])}


def test_settled_folders_are_not_listed_again(base_dir: Path, loading: Loading) -> None:
    _many(base_dir, 40)
    time.sleep(3.1)  # from then on a change shows in the folder's time
    loading.round()

    with listening() as opened:
        loading.round()
    assert [path for path in opened if path.startswith(str(base_dir))] == []

    new = write(base_dir / "3/new/events.out.tfevents.1.host", tensorboard_records("loss", range(3)))
    with listening() as opened:
        loading.round()
    assert {path for path in opened if path.startswith(str(base_dir))} == {
        str(base_dir / "3"),
        str(new.parent),
        str(new),
    }
    assert "3/new" in loading.runs()


def test_an_idle_round_over_many_files_is_quick(base_dir: Path, loading: Loading) -> None:
    _many(base_dir, 2000)
    loading.round()
    loading.round()

    cpu_seconds = []
    for _ in range(5):
        before = time.process_time()
        loading.round()
        cpu_seconds.append(time.process_time() - before)

    # 10,000 files every three seconds may take 5 % of a core: 30 ms for these. Folders still count as new here.
    assert min(cpu_seconds) < 0.2  # others on the machine only ever add to it
