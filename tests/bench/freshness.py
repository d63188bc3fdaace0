"""How soon new points of a live run are visible over REST while a hostile backlog loads.

The backlog: a sparse file of 100 GB, 6 GB of damaged logs, and a run with a million tags. Damaged logs are hard links
to two files, so that they take little room on the disk.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar

import numpy as np

from mindinsight_like.writers.encoding import tensorboard

from . import ours
from .measurements import Bench
from .processes import ProgramFailed
from .report import Row

_T = TypeVar("_T")
_SPARSE_BYTES = 100 * 10**9
_SPARSE_GAP = 64 * 2**20  # bytes between two blocks that are no hole
_DAMAGED_BYTES = 100 * 10**6
_DAMAGED_FILES = 60
_DAMAGE_GAP = 100_000  # bytes
TAGS = 1_000_000
_SAMPLES = 150
_QUIET_SAMPLES = 40
_PAUSE_SECONDS = 0.25
_POLL_SECONDS = 0.05
_LONGEST_SECONDS = 60.0
_MEDIAN_RATIO = 3.0
_LATE_RATIO = 6.0
LOG_NAME = tensorboard.file_name(1_750_000_000.0, host="bench")
_OPENING = tensorboard.frame(tensorboard.opening(1_750_000_000.0))


def freshness(bench: Bench) -> list[Row]:
    """Seconds from a flush until its point is in an answer; the yardstick is the same run with nothing beside it."""
    with ProcessPoolExecutor(1) as pool:
        backlog = pool.submit(make_backlog, bench.data).result()
    with bench.scratch() as scratch:
        quiet, during = _both(backlog, scratch)
    note = f"{len(during)} points while loading, load average {os.getloadavg()[0]:.1f}; yardstick: without the backlog"
    worst = f"worst {max(during):.2f} s; yardstick: without the backlog"
    return [
        Row("live point visible beside a backlog, median", "s", during, quiet, ratio_limit=_MEDIAN_RATIO, note=note),
        Row(
            "live point visible beside a backlog, 95th percentile",
            "s",
            [_late(during)],
            [_late(quiet)],
            ratio_limit=_LATE_RATIO,
            note=worst,
        ),
    ]


def _both(backlog: Path, scratch: Path) -> tuple[list[float], list[float]]:
    """Seconds until points were visible without the backlog, and while it loaded."""
    quiet = _measure(scratch / "quiet", scratch / "quiet workspace", samples=_QUIET_SAMPLES, while_loading=False)
    _link(backlog, scratch / "logs")
    during = _measure(scratch / "logs", scratch / "workspace", samples=_SAMPLES, while_loading=True)
    return quiet, during


def _late(latencies: list[float]) -> float:
    """The 95th percentile."""
    return sorted(latencies)[int(0.95 * len(latencies))]


def make_backlog(data: Path) -> Path:
    """The folder of the backlog; it is written unless it is already there."""
    folder = data / "backlog"
    if folder.is_dir():
        return folder
    building = data / "backlog.building"
    parts: dict[str, Callable[[BinaryIO], None]] = {
        "sparse": _write_sparse,
        "noise": _write_noise,
        "damaged": _write_damaged,
        "tags": _write_tags,
    }
    for name, write in parts.items():
        (building / name).mkdir(parents=True, exist_ok=True)
        with (building / name / LOG_NAME).open("wb") as log:
            log.write(_OPENING)
            write(log)
    building.rename(folder)
    return folder


def _write_sparse(log: BinaryIO) -> None:
    block = np.random.default_rng(1).bytes(4096)
    for place in range(_SPARSE_GAP, _SPARSE_BYTES, _SPARSE_GAP):
        log.seek(place)
        log.write(block)
    log.truncate(_SPARSE_BYTES)


def _write_noise(log: BinaryIO) -> None:
    log.write(np.random.default_rng(2).bytes(_DAMAGED_BYTES))


def _write_damaged(log: BinaryIO) -> None:
    """Points with eight bytes of noise every 100 kB."""
    records = [_point(f"tag_{step % 10}", step) for step in range(100_000)]
    content = np.frombuffer(b"".join(records), np.uint8)
    content = np.tile(content, -(-_DAMAGED_BYTES // len(content)))
    noise = np.random.default_rng(3)
    places = np.arange(_DAMAGE_GAP, len(content) - 8, _DAMAGE_GAP)[:, None] + np.arange(8)
    content[places] = noise.integers(0, 256, places.shape, np.uint8)
    log.write(content.tobytes())


def _write_tags(log: BinaryIO) -> None:
    for number in range(TAGS):
        log.write(_point(f"layer_{number // 100:05d}/weight_{number:07d}", 1))


def _point(tag: str, step: int) -> bytes:
    value = tensorboard.scalar(tag, float(step % 1000))
    return tensorboard.frame(tensorboard.event([value], step=step, wall_time=1_750_000_000.0 + step))


def _link(backlog: Path, base_dir: Path) -> None:
    names = {"sparse": "sparse", "tags": "tags"}
    names |= {f"damaged_{number:02d}": ("noise", "damaged")[number % 2] for number in range(_DAMAGED_FILES)}
    for run, source in names.items():
        (base_dir / run).mkdir(parents=True)
        os.link(backlog / source / LOG_NAME, base_dir / run / LOG_NAME)


def _has_step(service: ours.Service, run: str, step: int) -> bool | None:
    return _last_step(service, run) == step or None


def _measure(base_dir: Path, workspace: Path, *, samples: int, while_loading: bool) -> list[float]:
    """Seconds until each point was visible; with `while_loading` only as long as other files are being read."""
    live = base_dir / "live"
    live.mkdir(parents=True)
    latencies: list[float] = []
    with (
        (live / LOG_NAME).open("wb", buffering=0) as log,
        ours.answering(base_dir, workspace, workspace.parent) as service,
    ):
        log.write(_OPENING + _point("loss", 0))
        run = _wait(lambda: next((each["id"] for each in _runs(service) if each["name"] == "live"), None))
        for step in range(1, samples + 1):
            log.write(_point("loss", step))
            flushed = time.perf_counter()
            _wait(partial(_has_step, service, run, step))
            latencies.append(time.perf_counter() - flushed)
            if while_loading and service.json("service")["loading"]["state"] == "idle":
                break
            time.sleep(_PAUSE_SECONDS)
    return latencies


def _runs(service: ours.Service) -> list[dict[str, str]]:
    runs: list[dict[str, str]] = service.json("runs", [("search", "live")])["runs"]
    return runs


def _last_step(service: ours.Service, run: str) -> int:
    answer = service.json("scalars", [("run", run), ("tag", "loss"), ("max_points", "100")])
    steps = [step for series in answer["series"] for step in series["steps"]]
    return max(steps, default=-1)


def _wait(ask: Callable[[], _T | None]) -> _T:
    """The answer once there is one."""
    end = time.perf_counter() + _LONGEST_SECONDS
    while time.perf_counter() < end:
        if (answer := ask()) is not None:
            return answer
        time.sleep(_POLL_SECONDS)
    raise ProgramFailed(f"a point was not visible after {_LONGEST_SECONDS:g} s")


def main(data: str) -> None:
    """Measure without the peer's environment: `python -m tests.bench.freshness DATA`."""
    import tempfile

    backlog = make_backlog(Path(data))
    with tempfile.TemporaryDirectory(dir=data) as folder:
        quiet, during = _both(backlog, Path(folder))
    for kind, times in (("without a backlog", quiet), ("while one loads", during)):
        print(
            f"{kind}: {len(times)} points, median {statistics.median(times):.2f} s, "
            f"95th percentile {_late(times):.2f} s, worst {max(times):.2f} s"
        )
    print(f"load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
