"""What the Profiler and the collector cost a training."""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from pathlib import Path

from tests.profiler.collector.endpoints import Endpoint

from .environments import make_environment
from .measurements import Bench
from .processes import finish
from .report import Row

_CLOCK_RATIO = 8.0
_INSIDE_RATIO = 2.0
_BESIDE_RATIO = 30.0
_END_RATIO = 1.3
_TORCH = ("torch==2.13.0",)


def profiler(bench: Bench) -> list[Row]:
    """Recording by hand, and a schedule that waits."""
    with bench.scratch() as scratch:
        found = _costs(scratch)
    return [
        Row(
            "profiler.op(), recorded", "CPU us", found["op_us"], found["clock_us"], ratio_limit=_CLOCK_RATIO,
            note="writing included; yardstick: two looks at the clock, kept",
        ),
        Row(
            "profiler while not active", "CPU us", found["idle_us"], found["step_us"], ratio_limit=1 / 100,
            note="four op() and a step(); yardstick: the step itself, 2 ms of numpy",
        ),
    ]  # fmt: skip


def torch_recording(bench: Bench) -> list[Row]:
    """Ending a recording of torch: 30 steps of a small transformer, with shapes."""
    python = make_environment(bench.data / "venv-torch", _TORCH)
    with bench.scratch() as scratch:
        command: list[str | Path] = [
            python,
            Path(__file__).with_name("torch_end_cost.py"),
            scratch,
            sysconfig.get_paths()["purelib"],
        ]
        found = json.loads(finish(command).output.splitlines()[-1])
    return [
        Row(
            "ending a recording of torch", "CPU s", found["ours"], found["torch"], ratio_limit=_END_RATIO,
            note="peer: torch's own stop and export of plain JSON",
        ),
        Row("packing it, in another process", "CPU s", found["packing"]),
    ]  # fmt: skip


def collector(bench: Bench) -> list[Row]:
    """Metrics of the machine once a second, sent to a service on this machine; shares of one core."""
    with bench.scratch() as scratch:
        endpoint = Endpoint(scratch / "service")
        endpoint.start()
        try:
            endpoint.wait_until_open()
            command: list[str | Path] = [sys.executable, "-m", "tests.bench.collector_cost", endpoint.address, scratch]
            found = json.loads(finish(command).output)
        finally:
            endpoint.kill()
    return [
        Row(
            "collector, in the training process", "CPU ms a sample", found["inside"], found["psutil"],
            ratio_limit=_INSIDE_RATIO, note="yardstick: psutil reads the host's metrics",
        ),
        Row(
            "collector, the process beside it", "CPU ms a sample", found["beside"], found["psutil"],
            ratio_limit=_BESIDE_RATIO, note="same yardstick",
        ),
        Row("collector, the process beside it", "MB", found["megabytes"]),
    ]  # fmt: skip


def _costs(folder: Path) -> dict[str, list[float]]:
    # One thread, so that the time of the thread that steps is that of the step.
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command: list[str | Path] = [sys.executable, "-m", "tests.bench.profiler_cost", folder]
    costs: dict[str, list[float]] = json.loads(finish(command, environment=alone).output)
    return costs
