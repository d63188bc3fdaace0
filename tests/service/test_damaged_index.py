"""A damaged index never answers wrongly: every answer is the truth, the truth without runs that it names as being
rebuilt, or 503 `rebuilding`, and soon the truth again.

The loader follows the base dir as it does in a service, and nothing is restarted.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.app.application import create_app
from mindinsight_like.conf.settings import Settings
from mindinsight_like.loader.__main__ import Follower
from mindinsight_like.loader.once import load_once
from mindinsight_like.store.database.database import open_database
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.writers.encoding import tensorboard
from tests.conftest import PostgreSQLServer

_WALL = 1_700_000_000.0
_PAGE = 32768
_HOST = {"Host": "127.0.0.1"}
Answers = dict[str, tuple[int, Any]]


def _records(seed: int, tags: int, steps: int) -> bytes:
    rng = random.Random(seed)
    return b"".join(
        tensorboard.frame(
            tensorboard.event(
                [tensorboard.double_scalar(f"train/{tag}", rng.random()) for tag in range(tags)],
                step=step,
                wall_time=_WALL + step,
            )
        )
        for step in range(steps)
    )


@pytest.fixture(scope="module")
def base_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small runs, whose segments lie in the database, and two large ones, whose segments are files."""
    folder = tmp_path_factory.mktemp("logs")
    for number in range(12):
        run = folder / f"small{number}"
        run.mkdir()
        (run / "events.out.tfevents.1.host").write_bytes(_records(number, 4, 40))
    for number in range(2):
        run = folder / f"large{number}"
        run.mkdir()
        note = tensorboard.event([tensorboard.text("note", f"hello {number}")], step=0, wall_time=_WALL)
        (run / "events.out.tfevents.1.host").write_bytes(tensorboard.frame(note) + _records(99 + number, 3, 4000))
    return folder


class _Service:
    """The web application and a loader in a thread."""

    def __init__(self, settings: Settings) -> None:
        self.location = IndexLocation.of(settings.summary_base_dir, settings.workspace, settings.store_url)
        self.client = create_app(settings).test_client()
        self._stop = threading.Event()
        self._loader = threading.Thread(target=Follower(settings, self._stop).run)

    def start(self) -> None:
        self._loader.start()

    def stop(self) -> None:
        self._stop.set()
        if self._loader.ident is not None:
            self._loader.join(30)

    def _get(self, path: str, body: object = None) -> tuple[int, Any]:
        answer = (
            self.client.get(path, headers=_HOST) if body is None else self.client.post(path, json=body, headers=_HOST)
        )
        assert answer.status_code != 503 or answer.headers["Retry-After"]
        return answer.status_code, json.loads(answer.get_data())

    def answers(self, runs: dict[str, str]) -> Answers:
        found: Answers = {"runs": self._get("/v1/runs"), "tags": self._get("/v1/scalars/tags?run=" + runs["large0"])}
        for name, run in runs.items():
            found[f"{name} tags"] = self._get(f"/v1/runs/{run}/tags")
            tags = [f"train/{tag}" for tag in range(4)]
            for points in ("all", 50):
                found[f"{name} {points}"] = self._get("/v1/scalars", {"run": [run], "tag": tags, "max_points": points})
        every = {"run": list(runs.values()), "tag": ["train/0", "train/1"], "max_points": 50}
        found["all runs"] = self._get("/v1/scalars", every)
        found["texts"] = self._get(f"/v1/texts?run={runs['large1']}&tag=note")
        return found

    def run_ids(self) -> dict[str, str]:
        return {run["name"]: run["id"] for run in self._get("/v1/runs")[1]["runs"]}


@pytest.fixture(scope="module")
def loaded(base_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    workspace = tmp_path_factory.mktemp("loaded")
    load_once(Settings(summary_base_dir=base_dir, workspace=workspace))
    return workspace


@pytest.fixture
def service(base_dir: Path, loaded: Path, tmp_path: Path) -> Iterator[_Service]:
    shutil.copytree(loaded, tmp_path / "workspace")
    service = _Service(Settings(summary_base_dir=base_dir, workspace=tmp_path / "workspace", reload_interval=0.3))
    yield service
    service.stop()


def _segment_files(location: IndexLocation) -> list[Path]:
    return sorted(location.segments.iterdir())


def _change(path: Path, offset: int, content: Callable[[bytes], bytes], size: int) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        before = file.read(size)
        file.seek(offset)
        file.write(content(before))


def _flip(path: Path, offset: int) -> None:
    _change(path, offset, lambda byte: bytes([byte[0] ^ 1 << random.Random(offset).randrange(8)]), 1)


def _zero(path: Path, offset: int, size: int) -> None:
    _change(path, offset, lambda before: bytes(len(before)), size)


def _segment_flips(region: float) -> Callable[[IndexLocation], None]:
    def damage(location: IndexLocation) -> None:
        for path in _segment_files(location):
            _flip(path, int(region * (path.stat().st_size - 1)))

    return damage


def _each_segment(damage: Callable[[Path], object]) -> Callable[[IndexLocation], None]:
    def damage_all(location: IndexLocation) -> None:
        for path in _segment_files(location):
            damage(path)

    return damage_all


def _size(path: Path) -> int:
    return path.stat().st_size


_SEGMENT_DAMAGE: dict[str, Callable[[IndexLocation], None]] = {
    **{
        f"bit at {region:.0%}": _segment_flips(region) for region in (0.0, 0.001, 0.1, 0.4, 0.6, 0.8, 0.99, 0.9999, 1.0)
    },
    "all zero": _each_segment(lambda path: _zero(path, 0, _size(path))),
    "header zero": _each_segment(lambda path: _zero(path, 0, 48)),
    "tail zero": _each_segment(lambda path: _zero(path, _size(path) // 2, _size(path))),
    "page zero": _each_segment(lambda path: _zero(path, 8192, 4096)),
    "cut": _each_segment(lambda path: os.truncate(path, _size(path) // 2)),
    "empty": _each_segment(lambda path: os.truncate(path, 0)),
    "missing": _each_segment(Path.unlink),
    "swapped": lambda location: _swap(*_segment_files(location)[:2]),
}


def _swap(one: Path, other: Path) -> None:
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)


def _random_bits(seed: int, count: int) -> Callable[[IndexLocation], None]:
    def damage(location: IndexLocation) -> None:
        path, rng = location.database.sqlite, random.Random(seed)
        for _ in range(count):
            _flip(path, rng.randrange(_size(path)))

    return damage


def _zero_page(number: int) -> Callable[[IndexLocation], None]:
    def damage(location: IndexLocation) -> None:
        path = location.database.sqlite
        _zero(path, number % (_size(path) // _PAGE) * _PAGE, _PAGE)

    return damage


def _foreign_statement(sql: str) -> Callable[[IndexLocation], None]:
    def damage(location: IndexLocation) -> None:
        connection = sqlite3.connect(location.database.sqlite, isolation_level=None, timeout=10)
        connection.execute(sql)
        connection.close()

    return damage


def _overwrite(path: Path, content: bytes) -> None:
    path.write_bytes(content)


_DATABASE_DAMAGE: dict[str, Callable[[IndexLocation], None]] = {
    **{f"bit {seed}": _random_bits(seed, 1) for seed in range(6)},
    **{f"20 bits {seed}": _random_bits(seed, 20) for seed in range(2)},
    **{f"page {number} zero": _zero_page(number) for number in range(4)},
    "header zero": lambda location: _zero(location.database.sqlite, 0, 100),
    "cut": lambda location: os.truncate(location.database.sqlite, _size(location.database.sqlite) // 2),
    "empty": lambda location: os.truncate(location.database.sqlite, 0),
    "garbage": lambda location: _overwrite(location.database.sqlite, random.Random(1).randbytes(200_000)),
    "missing": lambda location: location.database.sqlite.unlink(),
    "table dropped": _foreign_statement("DROP TABLE series"),
    "value changed": _foreign_statement("UPDATE series SET max = 1000"),
}


def _expect_truth_or_rebuilding(service: _Service, truth: Answers, runs: dict[str, str], *, seconds: float) -> set[str]:
    """Ask again and again until everything is right; gives what had to be rebuilt."""
    rebuilt: set[str] = set()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = service.answers(runs)
        for question, (status, body) in found.items():
            if status == 503:
                assert body["error"]["code"] == "rebuilding", (question, body)
                rebuilt.add(question)
            elif "rebuilding" in body:
                missing = body["rebuilding"]
                _, whole = truth[question]
                intact = [series for series in whole["series"] if series["run"] not in missing]
                assert body == {"series": intact, "rebuilding": missing}, question
                rebuilt.update(f"{name} of {question}" for name, run in runs.items() if run in missing)
            else:
                assert (status, body) == truth[question], question
        if found == truth:
            return rebuilt
        time.sleep(0.1)
    raise AssertionError(f"not right again after {seconds} s: {[key for key in truth if found[key] != truth[key]]}")


@pytest.mark.parametrize("damage", _SEGMENT_DAMAGE)
@pytest.mark.parametrize("asked_before", [True, False], ids=["mapped", "unmapped"])
def test_damaged_segment_files(service: _Service, loaded: Path, damage: str, asked_before: bool) -> None:
    runs = service.run_ids()
    truth = service.answers(runs)
    if not asked_before:
        service.client = create_app(
            Settings(summary_base_dir=service.location.base_dir, workspace=service.location.folder.parent.parent)
        ).test_client()
    service.start()
    time.sleep(0.3)

    _SEGMENT_DAMAGE[damage](service.location)

    rebuilt = _expect_truth_or_rebuilding(service, truth, runs, seconds=30)
    assert {question.split()[0] for question in rebuilt} <= {"large0", "large1", "tags", "texts"}  # the rest is served


@pytest.mark.parametrize("damage", _DATABASE_DAMAGE)
def test_damaged_database(service: _Service, damage: str) -> None:
    runs = service.run_ids()
    truth = service.answers(runs)
    service.start()
    time.sleep(0.3)

    _DATABASE_DAMAGE[damage](service.location)
    service.client = create_app(
        Settings(summary_base_dir=service.location.base_dir, workspace=service.location.folder.parent.parent)
    ).test_client()

    _expect_truth_or_rebuilding(service, truth, runs, seconds=30)


@pytest.mark.parametrize("content", ["garbage", "earlier"])
def test_stale_write_ahead_log(base_dir: Path, tmp_path: Path, content: str) -> None:
    logs, workspace = tmp_path / "logs", tmp_path / "workspace"
    shutil.copytree(base_dir, logs)
    settings = Settings(summary_base_dir=logs, workspace=workspace, reload_interval=0.3)
    service = _Service(settings)
    log = Path(f"{service.location.database.sqlite}-wal")
    service.start()
    end = time.monotonic() + 20
    while service.client.get("/v1/service", headers=_HOST).get_json()["loading"]["state"] != "idle":
        assert time.monotonic() < end
        time.sleep(0.05)
    earlier = log.read_bytes() if content == "earlier" else random.Random(2).randbytes(300_000)
    service.stop()
    (logs / "new").mkdir()
    (logs / "new/events.out.tfevents.1.host").write_bytes(_records(5, 4, 30))
    shutil.rmtree(logs / "small3")
    load_once(settings)
    service = _Service(settings)
    runs = service.run_ids()
    truth = service.answers(runs)

    del service.client  # its connections would go on with the log that they have
    log.write_bytes(earlier)
    service = _Service(settings)
    service.start()

    try:
        _expect_truth_or_rebuilding(service, truth, runs, seconds=30)
    finally:
        service.stop()


def test_postgresql_with_a_missing_table_and_damaged_segments(
    base_dir: Path, tmp_path: Path, postgresql_url: str
) -> None:
    settings = Settings(
        summary_base_dir=base_dir, workspace=tmp_path / "workspace", store_url=postgresql_url, reload_interval=0.3
    )
    load_once(settings)
    service = _Service(settings)
    runs = service.run_ids()
    truth = service.answers(runs)
    service.start()
    connection = open_database(service.location.database).connect(write=True)
    try:
        connection.execute(
            "UPDATE segments SET data = set_byte(data, 30, 255 - get_byte(data, 30)) WHERE data IS NOT NULL"
        )
        service.client = create_app(settings).test_client()
        _expect_truth_or_rebuilding(service, truth, runs, seconds=30)
        connection.execute("DROP TABLE series")
        _expect_truth_or_rebuilding(service, truth, runs, seconds=30)
    finally:
        service.stop()
        connection.close()
        open_database(service.location.database).erase()


def test_postgresql_with_damaged_pages(base_dir: Path, tmp_path: Path, postgresql_server: PostgreSQLServer) -> None:
    """One bit in every page of a table, as no answer of the server would tell without its checksums."""
    settings = Settings(
        summary_base_dir=base_dir,
        workspace=tmp_path / "workspace",
        store_url=postgresql_server.url,
        reload_interval=0.3,
    )
    load_once(settings)
    service = _Service(settings)
    runs = service.run_ids()
    truth = service.answers(runs)
    connection = open_database(service.location.database).connect()
    [(table,)] = connection.execute("SELECT pg_relation_filepath('series')")
    connection.close()
    with postgresql_server.resting() as data:
        _flip_last_bits(data / table, page_size=8192)
    service = _Service(settings)
    service.start()
    try:
        _expect_truth_or_rebuilding(service, truth, runs, seconds=30)
    finally:
        service.stop()


def _flip_last_bits(path: Path, *, page_size: int) -> None:
    """Rows fill a page from its end, so the last bytes are data."""
    content = bytearray(path.read_bytes())
    assert content
    for place in range(page_size - 3, len(content), page_size):
        content[place] ^= 1
    path.write_bytes(content)


def test_service_says_that_it_rebuilds(service: _Service) -> None:
    _zero(service.location.database.sqlite, 0, 100)

    first = service.client.get("/v1/service", headers=_HOST).get_json()["loading"]["state"]
    runs = service.client.get("/v1/runs", headers=_HOST)

    assert first == "rebuilding"
    assert runs.status_code == 503
    assert runs.get_json()["error"]["code"] == "rebuilding"
