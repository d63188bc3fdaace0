"""Profile a small training with the framework of this environment, and find in our tables what it really did."""

from __future__ import annotations

import contextlib
import importlib.util
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import mindinsight_like as mi
from mindinsight_like.profiler.analysis.analysed import Analysed

STEPS = 10
ACTIVE = 2
# The operator that multiplies matrices forward, and how often a step does.
PRODUCTS = {
    "torch": ("aten::addmm", 2),
    "paddle": ("matmul dygraph", 2),
    "jax": ("dot", 1),  # XLA makes the other a part of a fusion
    "tensorflow": ("MatMul", 2),
    "mindspore": ("MatMul", 5),  # two forward, three backward
}


def main() -> None:
    for framework in PRODUCTS:
        if importlib.util.find_spec(framework):
            check(framework)


def check(framework: str) -> None:
    """A training of one framework."""
    step = globals()[f"{framework}_step"]()
    folder = Path("profiled", framework)
    said = io.StringIO()
    profiler = mi.Profiler(
        folder,
        framework=framework,
        schedule=mi.schedule(wait=1, warmup=1, active=ACTIVE, repeat=2),
        profile_memory=True,
    )
    for _ in range(STEPS):
        with profiler.op("make a batch", type="data"):
            batch = np.ones((16, 32), np.float32)
        step(batch)
        profiler.step()
    with contextlib.redirect_stdout(said):
        profiler.analyse()
    print(framework, *found(folder, framework))
    assert "operators" in said.getvalue(), said.getvalue()


def found(folder: Path, framework: str) -> list[str]:
    """What the tables say, checked."""
    results = sorted(folder.glob("analysis/*/columns"))
    analysed = [Analysed.open(each) for each in results]
    theirs = [each for each in analysed if each.trace.tool != "mindinsight_like"]
    assert len(theirs) == 2, f"two recordings, not {sorted(folder.iterdir())}"
    by_hand = [
        row["count"]
        for each in analysed
        for row in each.operators("name", limit=None).rows
        if row["name"] == "make a batch"
    ]
    assert by_hand == [ACTIVE, ACTIVE], by_hand
    name, each_step = PRODUCTS[framework]
    counts = []
    for each in theirs:
        by = "type" if framework in ("mindspore", "tensorflow") else "name"
        rows = each.operators(by, limit=None).rows
        counts.append(sum(row["count"] for row in rows if _is_product(row, name)))
    assert counts == [ACTIVE * each_step] * 2, (counts, sorted({row["name"] for row in rows if "name" in row}))
    steps = [[step["number"] for step in each.steps()["steps"]] for each in theirs]
    assert steps == [[2, 3], [6, 7]], steps
    for each in theirs:
        for one in each.steps()["steps"]:
            assert one["parts"]["input_wait"] > 0, one  # what was named by hand, of the type "data"
    return [f"{sum(counts)} x {name},", f"steps {steps},", f"{len(theirs)} recordings"]


def _is_product(row: dict[str, Any], name: str) -> bool:
    own = str(row.get("name") or row["type"])
    return own == name or own.startswith(f"{name}.")


def torch_step() -> Callable[[Any], object]:
    import torch

    network = torch.nn.Sequential(torch.nn.Linear(32, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)

    def step(batch: Any) -> None:
        optimizer.zero_grad()
        network(torch.from_numpy(batch)).sum().backward()
        optimizer.step()

    return step


def paddle_step() -> Callable[[Any], object]:
    import paddle

    network = paddle.nn.Sequential(paddle.nn.Linear(32, 8), paddle.nn.ReLU(), paddle.nn.Linear(8, 1))
    optimizer = paddle.optimizer.SGD(parameters=network.parameters())

    def step(batch: Any) -> None:
        network(paddle.to_tensor(batch)).sum().backward()
        optimizer.step()
        optimizer.clear_grad()

    return step


def jax_step() -> Callable[[Any], object]:
    import jax

    first, second = np.ones((32, 8), np.float32), np.ones((8, 1), np.float32)
    forward = jax.jit(lambda batch: jax.numpy.dot(jax.nn.relu(jax.numpy.dot(batch, first)), second))
    return lambda batch: forward(batch).block_until_ready()


def tensorflow_step() -> Callable[[Any], object]:
    import tensorflow as tf

    first, second = tf.Variable(tf.ones((32, 8))), tf.Variable(tf.ones((8, 1)))

    def forward(batch: Any) -> Any:
        return tf.matmul(tf.nn.relu(tf.matmul(batch, first)), second)

    return lambda batch: forward(tf.constant(batch)).numpy()


def mindspore_step() -> Callable[[Any], object]:
    import mindspore
    from mindspore import nn

    network = nn.SequentialCell(nn.Dense(32, 8), nn.ReLU(), nn.Dense(8, 1))
    with_loss = nn.WithLossCell(network, nn.MSELoss())
    training = nn.TrainOneStepCell(with_loss, nn.SGD(network.trainable_params(), 0.1))
    wanted = mindspore.Tensor(np.zeros((16, 1), np.float32))
    return lambda batch: training(mindspore.Tensor(batch), wanted).asnumpy()


if __name__ == "__main__":
    main()
