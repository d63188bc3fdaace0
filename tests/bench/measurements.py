"""The measurements, each with the promise it checks; ours and the peer take turns, so that noise falls on both."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from . import ours, yardsticks
from .logs import make_logs
from .peer import TensorBoard
from .processes import Cost, read_once, touch_memory
from .report import Row
from .shapes import SHAPES, SPIKE, Flavour, Shape

_CPU_RATIO = {"M": 1 / 4, "L": 1 / 4, "W": 1.0}
_PEAK_MB = {"L": 300.0}
_RESTART_RATIO = {"L": 1 / 50}
_IDLE_RATIO = 0.03  # of the seconds of one core
_NUMPY_PASSES = 3.0
_MANY_POINTS = 10_000_000
_IDLE_ROUNDS = 8
_CALLS = 9
_POINTS_ASKED = "1200"  # buckets share some of their points; of so many at least 1,000 come, as many as the peer sends


@dataclass(frozen=True)
class Bench:
    """Where the logs are and what is compared how often."""

    data: Path
    tensorboard: TensorBoard
    repeat: int
    flavour: Flavour
    trace_megabytes: int = 1000

    def logs(self, shape: Shape, flavour: Flavour | None = None) -> Path:
        """The folder of the logs, made when missing, in the page cache."""
        # In a process of its own: a child's peak memory counts from its parent's, which must stay small.
        with ProcessPoolExecutor(1) as pool:
            folder = pool.submit(make_logs, self.data, shape, flavour or self.flavour).result()
        read_once(folder)
        return folder

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder for one measurement."""
        with tempfile.TemporaryDirectory(dir=self.data) as folder:
            yield Path(folder)


def settle_memory(shape: Shape) -> None:
    """Make the machine's memory ready for a large load, whose first touches cost what the host wants them to."""
    # Small loads find enough memory as it is, and would only find the caches of the processor empty.
    if shape.points >= _MANY_POINTS:
        touch_memory()


def loads(bench: Bench, shape: Shape) -> list[Row]:
    """A first load into an empty index, and starts with a full one."""
    logs = bench.logs(shape)
    peer: list[Cost] = []
    cold: list[Cost] = []
    warm: list[ours.Restart] = []
    for _ in range(bench.repeat):
        with bench.scratch() as scratch:
            if bench.flavour in ("tb", "tb2"):
                settle_memory(shape)
                peer.append(bench.tensorboard.load(logs, scratch))
            settle_memory(shape)
            cold.append(ours.load_cold(logs, scratch / "workspace"))
            warm.append(ours.restart(logs, scratch / "workspace"))
    name = f"{shape.name}-{bench.flavour}"
    cold_cpu = [cost.cpu_seconds for cost in cold]
    return [
        Row(
            f"first load, {name}",
            "CPU s",
            cold_cpu,
            [cost.cpu_seconds for cost in peer],
            ratio_limit=_CPU_RATIO.get(shape.name) if peer else None,
            note=f"{shape.points / 1e6:g} M points",
        ),
        Row(
            f"first load, {name}",
            "wall s",
            [cost.wall_seconds for cost in cold],
            [cost.wall_seconds for cost in peer],
        ),
        Row(
            f"first load, {name}",
            "peak MB",
            [cost.peak_mb for cost in cold],
            [cost.peak_mb for cost in peer],
            limit=_PEAK_MB.get(shape.name),
        ),
        Row(
            f"restart, {name}, after imports",
            "CPU s",
            [each.after_imports_cpu_seconds for each in warm],
            cold_cpu,
            ratio_limit=_RESTART_RATIO.get(shape.name),
            note="beside our own first load",
        ),
        Row(
            f"restart, {name}, whole process",
            "CPU s",
            [each.whole.cpu_seconds for each in warm],
            cold_cpu,
            note="beside our own first load",
        ),
    ]


def idle(bench: Bench) -> list[Row]:
    """A loader whose folder does not change."""
    shape = SHAPES["idle"]
    logs = bench.logs(shape)
    rows = []
    with bench.scratch() as scratch:
        for how, options in (("watched", {}), ("not watched", {"watched_folders": "0"})):
            idle_loader = ours.idle(
                logs, scratch / "workspace", scratch, runs=shape.runs, rounds=_IDLE_ROUNDS, options=options
            )
            kilobytes = idle_loader.read_bytes_per_round / 1e3
            note = f"every {idle_loader.interval_seconds:g} s, {kilobytes:.0f} kB read per round"
            name = f"idle loader, {shape.runs:,} files, {how}"
            rows.append(
                Row(
                    name,
                    "CPU s",
                    [idle_loader.cpu_seconds],
                    [idle_loader.wall_seconds],
                    ratio_limit=_IDLE_RATIO,
                    note=f"beside the seconds of one core; {note}",
                )
            )
    return rows


def scalars(bench: Bench) -> list[Row]:
    """One chart: a tag of 100 runs with 1,000 points each."""
    shape = SHAPES["M"]
    tag = shape.tag_names[0]
    logs = bench.logs(shape, "tb")
    with (
        bench.scratch() as scratch,
        bench.tensorboard.serving(logs, shape, scratch) as server,
        ours.serving(logs, scratch / "workspace", scratch, runs=shape.runs) as service,
    ):
        asked = [*(("run", run) for run in service.runs()), ("tag", tag), ("max_points", _POINTS_ASKED)]
        own, peer = _latencies(lambda: service.get("scalars", asked), lambda: server.one_tag_of_all_runs(tag))
    points = [len(series["steps"]) for series in json.loads(own.answer)["series"]]
    note = (
        f"{len(points)} x {statistics.median(points):g} points, {own.megabytes:.1f} MB against {peer.megabytes:.1f}; "
        f"first call {own.first:.0f} ms against {peer.first:.0f}"
    )
    return [Row("one tag of 100 runs", "ms", own.later, peer.later, ratio_limit=1 / 10, note=note)]


def long_series(bench: Bench) -> list[Row]:
    """The first screen of one very long series."""
    shape = SHAPES["tenmillion"]
    logs = bench.logs(shape, "tb")
    with bench.scratch() as scratch, ours.serving(logs, scratch / "workspace", scratch, runs=1) as service:
        asked = [("run", service.runs()[0]), ("tag", shape.tag_names[0]), ("max_points", "4000")]
        [own] = _latencies(lambda: service.get("scalars", asked))
    [series] = json.loads(own.answer)["series"]
    is_whole = series["total_points"] == shape.points
    kept = zip(series["steps"], series["values"], strict=True)
    is_visible = [point for point in kept if point[1] == SPIKE] == [(shape.spike_step, SPIKE)]
    note = f"{len(series['steps'])} of them kept; first call {own.first:.0f} ms; yardstick: numpy's extremes of them"
    passes = [yardsticks.numpy_pass_ms(shape.points) for _ in range(bench.repeat)]
    return [
        Row("first screen of 10 M points", "ms", own.later, passes, ratio_limit=_NUMPY_PASSES, note=note),
        Row("spikes or points lost in it", "count", [0.0 if is_visible and is_whole else 1.0], limit=0.0),
    ]


@dataclass(frozen=True)
class _Latency:
    """Milliseconds from question to answer: the first time, and when asked again."""

    first: float
    later: list[float]
    answer: bytes

    @property
    def megabytes(self) -> float:
        return len(self.answer) / 1e6


def _latencies(*calls: Callable[[], bytes]) -> list[_Latency]:
    """Each call made again and again, in turns."""
    taken: list[list[float]] = [[] for _ in calls]
    answers = [b"" for _ in calls]
    for _ in range(1 + _CALLS):
        for place, call in enumerate(calls):
            started = time.perf_counter()
            answers[place] = call()
            taken[place].append((time.perf_counter() - started) * 1e3)
    return [_Latency(times[0], times[1:], answer) for times, answer in zip(taken, answers, strict=True)]
