"""A loader killed at any moment and started again gives exactly what a clean load gives."""

from __future__ import annotations

import multiprocessing
import random
import time
from pathlib import Path

import pytest

from mindinsight_like.loader.lock import index_lock
from mindinsight_like.loader.rounds import Loader
from mindinsight_like.logs.scanner import NATIVE
from mindinsight_like.store.database.database import open_database
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.writers.encoding import tensorboard

from .logs import (
    WALL,
    answers,
    append,
    assert_same,
    clean_answers,
    json_rows,
    mindspore_records,
    optuna_journal,
    tensorboard_records,
    write,
)

_TAGS = 30
_STEPS = 600 if NATIVE else 40


def _load(location: IndexLocation, rounds: int) -> None:
    with index_lock(location):
        loader = Loader(location)
        loader.round()
        for _ in range(rounds - 1):
            loader.round_over_hot_files()
            loader.round()


class Victim:
    """A loader in a process of its own."""

    def __init__(self, location: IndexLocation, rounds: int = 1) -> None:
        self._process = multiprocessing.get_context("fork").Process(target=_load, args=(location, rounds))
        self._process.start()

    def kill_after(self, seconds: float) -> bool:
        """Whether it was still at work when it was killed with SIGKILL."""
        self._process.join(seconds)
        self._process.kill()
        self._process.join()
        assert self._process.exitcode in (0, -9)
        return self._process.exitcode == -9

    def finish(self) -> None:
        self._process.join()
        assert self._process.exitcode == 0


class Logs:
    """Log files of many sorts, and ever more of them."""

    def __init__(self, base_dir: Path) -> None:
        self._base_dir = base_dir
        self._chance = random.Random(4)
        values = [tensorboard.scalar(f"layer {number}/loss", number / 7) for number in range(_TAGS)]
        self._steps = [
            tensorboard.frame(tensorboard.event(values, step=step, wall_time=WALL + step)) for step in range(_STEPS)
        ]
        self._small: list[Path] = []
        self._models: list[Path] = []
        self._of_trackers: list[Path] = []
        self._number = 0

    def more(self, large: int, small: int) -> None:
        """Large files that take a commit or two, small and damaged ones, ranks, blobs, models, add_scalars folders."""
        self._number += 1
        chance, folder = self._chance, self._base_dir / str(self._number)
        note = tensorboard.frame(tensorboard.event([tensorboard.text("note", "hello")], step=1, wall_time=WALL))
        for place in range(large):
            content = b"".join(self._steps[: chance.randint(10, _STEPS)]) + note + b"".join(self._steps[9:])
            write(folder / f"large {place}/events.out.tfevents.1.host", content * 2)
        for place in range(small):
            content = tensorboard_records("loss", range(chance.randint(5, 40)))
            if place % 5 == 0:
                content += b"rubbish" * 5 + tensorboard_records("loss", range(60, 70))
            run = folder / f"small {place}"
            self._small.append(write(run / "events.out.tfevents.1.host", content))
            write(run / "pair_sin/events.out.tfevents.1.host", tensorboard_records("pair", [1]))
            if place % 3 == 0:
                self._models.append(write(run / "net.onnx", chance.randbytes(100)))
        # A log of a tracker with one run, and one with many.
        self._of_trackers.append(write(folder / "tracked/metrics.jsonl", json_rows(range(chance.randint(10, _STEPS)))))
        journal = b"".join(optuna_journal(studies=2, trials=chance.randint(2, 12), values=9))
        write(folder / "searched/journal.log", journal[: chance.randint(len(journal) // 2, len(journal))])
        for rank in range(2):
            name = f"ranks/events.out.events.summary.1.{rank}.host_MS"
            write(folder / name, mindspore_records("loss", range(50), value=rank))

    def change(self) -> None:
        """Let one file grow, sometimes by a cut record, or replace, cut or delete it and let another come."""
        path, chance = self._chance.choice(self._small), self._chance
        if chance.randint(0, 2) == 0:
            append(chance.choice(self._of_trackers), json_rows(range(9000, 9000 + chance.randint(1, 40)))[:-1] + b"\n")
        if chance.randint(0, 4) == 0:
            write(chance.choice(self._models), chance.randbytes(chance.randint(0, 200)))
        records = tensorboard_records("later", range(chance.randint(1, 40)), wall=WALL + chance.randint(0, 9999))
        match chance.randint(0, 9):
            case 0:
                path.unlink()
                self._small.remove(path)
                self.more(large=0, small=1)
            case 1:
                write(path, records)
            case 2:
                write(path, path.read_bytes()[: chance.randint(0, 500)])
            case 3:
                append(path, records[: chance.randint(1, len(records))])
            case _:
                append(path, records)


def _check(location: IndexLocation, base_dir: Path, tmp_path: Path) -> None:
    Victim(location).finish()
    assert_same(answers(IndexReader(location)), clean_answers(base_dir, tmp_path / "clean"))
    files = {path.name for path in location.segments.iterdir()}
    connection = open_database(location.database).connect()
    stored = connection.execute(
        "SELECT id FROM segments WHERE data IS NULL UNION ALL SELECT id FROM documents WHERE data IS NULL"
    )
    connection.close()
    assert files == {str(segment) for (segment,) in stored}


@pytest.mark.parametrize(("database", "kills"), [("sqlite", 25), ("postgresql", 10)])
def test_a_killed_load_is_taken_up_where_it_was(
    request: pytest.FixtureRequest, base_dir: Path, tmp_path: Path, database: str, kills: int
) -> None:
    url = request.getfixturevalue("postgresql_url") if database == "postgresql" else ""
    location = IndexLocation.of(base_dir, tmp_path / "workspace", url)
    logs, chance = Logs(base_dir), random.Random(database)
    logs.more(large=6, small=30)
    trial = IndexLocation.of(base_dir, tmp_path / "trial", url)
    started = time.monotonic()
    Victim(trial).finish()
    length = time.monotonic() - started
    open_database(trial.database).erase()

    interrupted = 0
    for _ in range(kills):
        interrupted += Victim(location).kill_after(chance.uniform(0, length / 3))
        logs.more(large=2, small=8)

    assert interrupted >= kills // 2
    _check(location, base_dir, tmp_path)
    open_database(location.database).erase()


def test_a_loader_killed_while_it_follows_misses_and_repeats_nothing(base_dir: Path, tmp_path: Path) -> None:
    location = IndexLocation.of(base_dir, tmp_path / "workspace")
    logs, chance = Logs(base_dir), random.Random(8)
    logs.more(large=1, small=20)
    Victim(location).finish()

    interrupted = 0
    for _ in range(25):
        victim = Victim(location, rounds=10_000)
        end = time.monotonic() + chance.uniform(0, 0.3)
        while time.monotonic() < end:
            logs.change()
            time.sleep(0.002)
        interrupted += victim.kill_after(0)

    assert interrupted == 25
    _check(location, base_dir, tmp_path)
