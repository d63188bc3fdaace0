"""Reading the logs of other trackers, beside their own readers."""

from __future__ import annotations

import sys
from pathlib import Path

from .environments import make_environment
from .measurements import Bench
from .processes import Cost, finish
from .report import Row
from .wandb_runs import POINTS, ROWS, make_run

_WANDB_RATIO = 1 / 10
_WANDB = ("wandb==0.31.0",)


def trackers(bench: Bench) -> list[Row]:
    """A long run of W&B, the start of Python included, index writing excluded."""
    home = make_run(bench.data)
    log = next(home.glob("*/run-*.wandb"))
    program = _wandb_core(bench)
    theirs: list[Cost] = []
    ours: list[Cost] = []
    for _ in range(bench.repeat):
        inspected = finish([program, "leet", "inspect", "-json", "-no-observability", "-run-file", log])
        assert inspected.output.count('"type":"history"') == ROWS
        theirs.append(inspected.cost)
        read = finish([sys.executable, "-m", "tests.bench.tracker_reading", home])
        assert int(read.output) == POINTS
        ours.append(read.cost)
    return [
        Row(
            f"W&B run of {POINTS:,} points",
            "CPU s",
            [cost.cpu_seconds for cost in ours],
            [cost.cpu_seconds for cost in theirs],
            ratio_limit=_WANDB_RATIO,
            note="peer: wandb-core leet inspect --json",
        )
    ]


def _wandb_core(bench: Bench) -> Path:
    """W&B's own reader, in an environment of its own."""
    python = make_environment(bench.data / "wandb", _WANDB)
    return next(python.parent.parent.glob("lib/python*/site-packages/wandb/bin/wandb-core"))
