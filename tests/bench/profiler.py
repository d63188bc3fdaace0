"""What the Profiler and the collector cost a training."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from tests.profiler.collector.endpoints import Endpoint

from .measurements import Bench
from .processes import finish
from .report import Row


def profiler(bench: Bench) -> list[Row]:
    """Recording by hand, and a schedule that waits."""
    with bench.scratch() as scratch:
        found = _costs(scratch)
    return [
        Row("profiler.op(), recorded", "CPU us", found["op_us"], limit=2.0, note="writing included"),
        Row("profiler while not active", "% of step", found["idle_percent"], limit=1.0, note="four op() and a step()"),
    ]


def collector(bench: Bench) -> list[Row]:
    """Metrics of the machine once a second, sent to a service on this machine; shares of one core."""
    with bench.scratch() as scratch:
        endpoint = Endpoint(scratch / "service")
        endpoint.start()
        try:
            endpoint.wait_until_open()
            command = [sys.executable, "-m", "tests.bench.collector_cost", endpoint.address, scratch]
            found = json.loads(finish(command).output)
        finally:
            endpoint.kill()
    return [
        Row("collector, in the training process", "% of a core", found["inside"], limit=0.5, note="1 Hz"),
        Row("collector, the process beside it", "% of a core", found["beside"], limit=1.5, note="1 Hz"),
        Row("collector, the process beside it", "MB", found["megabytes"]),
    ]


def _costs(folder: Path) -> dict[str, list[float]]:
    # One thread, so that the time of the thread that steps is that of the step.
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.bench.profiler_cost", folder]
    costs: dict[str, list[float]] = json.loads(finish(command, environment=alone).output)
    return costs
