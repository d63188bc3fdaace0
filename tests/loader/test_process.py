"""The loader as a process: it follows, waits, takes over and stops."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mindinsight_like.conf.settings import Settings
from mindinsight_like.loader.once import load_once
from mindinsight_like.store.progress import Progress
from mindinsight_like.store.reader import IndexReader

from .logs import append, tensorboard_records, write

_LOG = "run/events.out.tfevents.1.host"

Start = Callable[..., "subprocess.Popen[bytes]"]


def _until(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


@pytest.fixture
def start(base_dir: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts loader processes, which end with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def run(interval: float = 0.3) -> subprocess.Popen[bytes]:
        environ = {
            **os.environ,
            "MINDINSIGHT_SUMMARY_BASE_DIR": str(base_dir),
            "MINDINSIGHT_WORKSPACE": str(tmp_path / "workspace"),
            "MINDINSIGHT_RELOAD_INTERVAL": str(interval),
        }
        started.append(subprocess.Popen([sys.executable, "-m", "mindinsight_like.loader"], env=environ))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def reader(base_dir: Path, tmp_path: Path) -> IndexReader:
    return IndexReader.open(base_dir, tmp_path / "workspace")


def _points(reader: IndexReader) -> int:
    _, runs = reader.runs.find()
    return sum(tag.count for run in runs for tag in reader.series.tags(run.id)["scalars"])


def test_it_follows_until_it_is_told_to_stop(base_dir: Path, start: Start, reader: IndexReader) -> None:
    log = write(base_dir / _LOG, tensorboard_records("loss", range(3)))
    process = start()
    _until(lambda: _points(reader) == 3)

    append(log, tensorboard_records("loss", range(3, 8)))
    _until(lambda: _points(reader) == 8)
    write(base_dir / "new" / _LOG, tensorboard_records("loss", range(5)))
    _until(lambda: _points(reader) == 13)

    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0


def test_an_interval_of_zero_loads_once(base_dir: Path, start: Start, reader: IndexReader) -> None:
    log = write(base_dir / _LOG, tensorboard_records("loss", range(3)))
    process = start(interval=0)
    _until(lambda: reader.service().loading.state == "idle")

    append(log, tensorboard_records("loss", range(3, 8)))
    time.sleep(1)

    assert _points(reader) == 3
    assert process.poll() is None
    process.terminate()
    assert process.wait(10) == 0


def test_another_loader_waits_and_takes_over(base_dir: Path, start: Start, reader: IndexReader, tmp_path: Path) -> None:
    log = write(base_dir / _LOG, tensorboard_records("loss", range(3)))
    first = start()
    _until(lambda: _points(reader) == 3)
    second = start()
    journal = tmp_path / "workspace/log/loader.log"
    _until(lambda: "waiting to take over" in journal.read_text())

    first.kill()
    first.wait()
    append(log, tensorboard_records("loss", range(3, 8)))

    _until(lambda: _points(reader) == 8)
    assert second.poll() is None
    assert journal.read_text().count("waiting to take over") == 1


def test_it_waits_for_a_base_dir_that_is_away(
    base_dir: Path, start: Start, reader: IndexReader, tmp_path: Path
) -> None:
    write(base_dir / _LOG, tensorboard_records("loss", range(3)))
    start()
    _until(lambda: _points(reader) == 3)
    journal = tmp_path / "workspace/log/loader.log"

    base_dir.rename(tmp_path / "away")
    _until(lambda: "cannot load" in journal.read_text())
    assert _points(reader) == 3
    append(tmp_path / "away" / _LOG, tensorboard_records("loss", range(3, 8)))
    (tmp_path / "away").rename(base_dir)

    _until(lambda: _points(reader) == 8)


def test_loading_once_shows_its_progress(base_dir: Path, tmp_path: Path) -> None:
    sizes = 0
    for place in range(5):
        sizes += write(base_dir / f"{place}" / _LOG, tensorboard_records("loss", range(100))).stat().st_size
    settings = Settings.from_environment(
        {"MINDINSIGHT_SUMMARY_BASE_DIR": str(base_dir), "MINDINSIGHT_WORKSPACE": str(tmp_path / "workspace")}
    )
    shown: list[Progress] = []

    load_once(settings, shown.append)

    assert shown[-1] == Progress(5, 5, sizes, sizes)
    assert [each.bytes_done for each in shown] == sorted(each.bytes_done for each in shown)
