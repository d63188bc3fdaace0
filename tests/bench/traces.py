"""From a large trace to its operator table, step breakdown and first screen, beside HolisticTraceAnalysis."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from mindinsight_like.profiler.jobs.environment import ENVIRONMENT

from . import holistic, trace_analysis
from .environments import make_environment
from .kineto_trace import write_trace
from .measurements import Bench
from .processes import Cost, finish, touch_memory
from .report import Row

_PACKAGES = ("HolisticTraceAnalysis==0.5.0", "pandas<3", "setuptools<80")
_CPU_RATIO = 1 / 40
_MEMORY_RATIO = 1 / 5
_OPEN_RATIO = 1 / 50
_STAGES = ("imports", "read", "analyse", "save", "answers")


def traces(bench: Bench) -> list[Row]:
    """A first analysis, and opening it again; the peer takes minutes and runs once, between ours."""
    python = make_environment(bench.data / "venv-hta", _PACKAGES)
    file, slices = made_trace(bench.data, bench.trace_megabytes)
    ours: list[Cost] = []
    opened: list[float] = []
    stages: list[dict[str, tuple[float, float]]] = []

    def analyse() -> None:
        with bench.scratch() as scratch:
            touch_memory()
            cost, told = _run("analyse", scratch / "analysed", file)
            assert told["found"]["slices"] == slices, "slices were lost"
            ours.append(cost)
            stages.append(told["stages"])
            _, told = _run("open", scratch / "analysed")
            assert told["found"]["slices"] == slices
            opened.append(told["stages"]["open"][1] + told["stages"]["answers"][1])

    for _ in range(bench.repeat):
        analyse()
    touch_memory()
    peer = finish([python, holistic.__file__, file]).cost
    for _ in range(bench.repeat):  # before and after: machines are not as quick all the time
        analyse()
    size = f"{file.stat().st_size / 1e6:,.0f} MB, {slices / 1e6:.2f} M slices"
    note = ", ".join(f"{stage} {min(each[stage][0] for each in stages):.2f}" for stage in _STAGES)
    cpu, peak = [cost.cpu_seconds for cost in ours], [cost.peak_mb for cost in ours]
    return [
        Row(f"first analysis of a trace, {size}", "CPU s", cpu, [peer.cpu_seconds], ratio_limit=_CPU_RATIO, note=note),
        Row("the same", "wall s", [cost.wall_seconds for cost in ours], [peer.wall_seconds], note="peer: HTA 0.5.0"),
        Row("the same", "peak MB", peak, [peer.peak_mb], ratio_limit=_MEMORY_RATIO, note="peer: HTA 0.5.0"),
        Row(
            "the analysis opened again, first screen included", "wall s", opened, [cost.wall_seconds for cost in ours],
            ratio_limit=_OPEN_RATIO, note="beside our own first analysis",
        ),
    ]  # fmt: skip


def made_trace(data: Path, megabytes: int) -> tuple[Path, int]:
    """A trace of that size, written when it is missing, alone in its folder; and how many slices it has."""
    file = data / f"traces-{megabytes}" / "bench.pt.trace.json"
    count = file.with_name("slices")
    if not count.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        with ProcessPoolExecutor(1) as pool:  # see Bench.logs
            count.write_text(str(pool.submit(write_trace, file, megabytes).result()))
    with file.open("rb", buffering=0) as content:
        while content.read(1 << 22):  # into the page cache
            pass
    return file, int(count.read_text())


def _run(*arguments: str | Path) -> tuple[Cost, dict[str, Any]]:
    finished = finish([sys.executable, trace_analysis.__file__, *arguments], environment=os.environ | ENVIRONMENT)
    told: dict[str, Any] = json.loads(finished.output)
    return finished.cost, told
