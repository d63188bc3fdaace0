"""What recording a scalar costs a training: ours beside tensorboardX."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from . import recording
from .measurements import Bench
from .processes import finish
from .report import Row

_CALLS = 10_000


def writers(bench: Bench) -> list[Row]:
    """CPU time of the whole process, its threads included, and the time the training itself spends in a call."""
    ours: list[dict[str, float]] = []
    peer: list[dict[str, float]] = []
    for _ in range(bench.repeat):
        with bench.scratch() as scratch:
            peer.append(_cost(bench.tensorboard.folder / "bin" / "python", "tensorboardX", scratch / "peer"))
            ours.append(_cost(Path(sys.executable), "mindinsight_like", scratch / "ours"))
    note = "ours against tensorboardX"
    return [
        Row("add_scalar", "CPU us", _column(ours, "cpu_us"), _column(peer, "cpu_us"), ratio_limit=1 / 3, note=note),
        Row("add_scalar, in the caller", "wall us", _column(ours, "wait_us"), _column(peer, "wait_us"), note=note),
    ]


def _cost(python: Path, module: str, folder: Path) -> dict[str, float]:
    program = Path(recording.__file__)
    cost: dict[str, float] = json.loads(finish([python, program, module, folder, str(_CALLS)]).output)
    return cost


def _column(costs: list[dict[str, float]], name: str) -> list[float]:
    return [cost[name] for cost in costs]
