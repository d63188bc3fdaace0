"""What the Profiler costs a training."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

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


def _costs(folder: Path) -> dict[str, list[float]]:
    # One thread, so that the time of the thread that steps is that of the step.
    alone = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.bench.profiler_cost", folder]
    costs: dict[str, list[float]] = json.loads(finish(command, environment=alone).output)
    return costs
