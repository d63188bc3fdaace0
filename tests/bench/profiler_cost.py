"""What recording by hand costs a training: one program, run in a process of its own.

python -m tests.bench.profiler_cost <folder>
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindinsight_like import Profiler, schedule

from .yardsticks import clock_us

_CALLS = 200_000
_STEPS = 60  # of some 2 ms each
_IDLE_STEPS = 20_000
_SIDE = 200  # of the matrices
_ROUNDS = 7
_OPERATIONS = ("load", "forward", "backward", "update")


def main() -> None:
    folder = Path(sys.argv[1])
    idle, step = _idle_costs(folder / "idle")
    calls, clock = _call_costs(folder / "calls")
    print(json.dumps({"op_us": calls, "clock_us": clock, "idle_us": idle, "step_us": step}))


def _call_costs(folder: Path) -> tuple[list[float], list[float]]:
    """Microseconds for one `with profiler.op(...)` that is recorded and written; and the yardstick's."""
    costs, clock = [], []
    for number in range(_ROUNDS):
        profiler = Profiler(folder / str(number), framework="none")
        began = time.process_time()
        for _ in range(_CALLS):
            with profiler.op("decode", type="data"):
                pass
        profiler.stop()
        costs.append((time.process_time() - began) / _CALLS * 1e6)
        clock.append(clock_us(_CALLS))
    return costs, clock


def _idle_costs(folder: Path) -> tuple[list[float], list[float]]:
    """Microseconds that the same calls take while the schedule is not active, and those of a step of numpy.

    Steps themselves vary by more than that from one to the next: both are measured on their own, in turns.
    """
    profiler = Profiler(folder, framework="none", schedule=schedule(wait=10**9, active=1))
    weights = np.random.default_rng(1).normal(size=(_SIDE, _SIDE))
    calls, steps = [], []
    for _ in range(_ROUNDS):
        steps.append(_thread_seconds(lambda: _train(weights)) / _STEPS * 1e6)
        calls.append(_thread_seconds(lambda: _follow(profiler)) / _IDLE_STEPS * 1e6)
    profiler.stop()
    return calls, steps


def _thread_seconds(work: Callable[[], None]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


def _train(weights: NDArray[np.float64]) -> None:
    for _ in range(_STEPS):
        for _ in _OPERATIONS:
            weights @ weights


def _follow(profiler: Profiler) -> None:
    for _ in range(_IDLE_STEPS):
        for name in _OPERATIONS:
            with profiler.op(name):
                pass
        profiler.step()


if __name__ == "__main__":
    main()
