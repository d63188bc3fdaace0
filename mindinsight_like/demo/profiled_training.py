"""Profile a real numpy training with `Profiler`."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.demo.training.plans import Plan
from mindinsight_like.profiler.training.profiler import Profiler

_STEPS, _BATCH, _INPUTS, _CLASSES = 40, 64, 32, 10  # so small that numpy computes in one thread
_WAITING = 4  # batches that the loader prepares ahead

Matrix = NDArray[np.float32]


def profile_training(folder: Path, plan: Plan, *, seed: int) -> None:
    """Train for some steps a network of the run's size on larger inputs, and leave the trace in the folder."""
    rng = np.random.default_rng([seed, 5])
    hidden = 2 * plan.hidden
    first = rng.normal(0, 0.1, (_INPUTS, hidden)).astype(np.float32)
    second = rng.normal(0, 0.1, (hidden, _CLASSES)).astype(np.float32)
    profiler = Profiler(folder, framework="none")
    for batch, targets in _batches(profiler, rng):
        with profiler.op("forward", type="phase"):
            with profiler.op("hidden/MatMul", type="MatMul", shape=f"[[{_BATCH}, {_INPUTS}], [{_INPUTS}, {hidden}]]"):
                sums = batch @ first
            with profiler.op("hidden/ReLU", type="ReLU"):
                active = np.maximum(sums, 0)
            with profiler.op("output/MatMul", type="MatMul", shape=f"[[{_BATCH}, {hidden}], [{hidden}, {_CLASSES}]]"):
                scores = active @ second
            with profiler.op("Softmax", type="Softmax"):
                grown = np.exp(scores - scores.max(axis=1, keepdims=True))
                slope = grown / grown.sum(axis=1, keepdims=True) - targets
        with profiler.op("backward", type="phase"):
            with profiler.op("output/MatMulGrad", type="MatMulGrad"):
                second_slope = active.T @ slope
                back = slope @ second.T
            with profiler.op("hidden/ReLUGrad", type="ReLUGrad"):
                back *= sums > 0
            with profiler.op("hidden/MatMulGrad", type="MatMulGrad"):
                first_slope = batch.T @ back
        with profiler.op("update", type="phase"):
            for name, weights, change in (("hidden", first, first_slope), ("output", second, second_slope)):
                with profiler.op(f"{name}/SGD", type="SGD"):
                    weights -= np.float32(0.01 / _BATCH) * change
        profiler.step()
    profiler.stop()


def _batches(profiler: Profiler, rng: np.random.Generator) -> Iterator[tuple[Matrix, Matrix]]:
    """Batches that a thread prepares ahead."""
    ready: queue.Queue[tuple[Matrix, Matrix]] = queue.Queue(_WAITING)

    def prepare() -> None:
        for _ in range(_STEPS):
            with profiler.op("read batch", type="data"):
                batch = rng.normal(size=(_BATCH, _INPUTS)).astype(np.float32)
            with profiler.op("one hot", type="data"):
                targets = np.eye(_CLASSES, dtype=np.float32)[rng.integers(0, _CLASSES, _BATCH)]
            ready.put((batch, targets))

    loader = threading.Thread(target=prepare, name="loader", daemon=True)
    loader.start()
    for _ in range(_STEPS):
        profiler.count("batches ready", ready.qsize())
        with profiler.op("wait for a batch", type="data"):
            got = ready.get()
        yield got
    loader.join()
