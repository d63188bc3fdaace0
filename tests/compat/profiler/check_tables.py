"""Record a small training with the framework's own profiler: our counts and times are those of its own table."""

from __future__ import annotations

import contextlib
import csv
import importlib.util
import io
import os
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.traces.files import Files
from mindinsight_like.profiler.traces.sources import read, sources_of

FOLDER = Path("tables")
STEPS = 3
DIGITS = 1e-5  # MindSpore prints six of them
Sums = dict[str, tuple[int, float]]  # count and total microseconds by name


def main() -> None:
    recorders: dict[str, Callable[[], tuple[Sums, float, str]]] = {
        "torch": of_torch,
        "paddle": of_paddle,
        "jax": of_jax,
        "mindspore": of_mindspore,
    }
    framework = next(name for name in recorders if importlib.util.find_spec(name))
    theirs, rounding, side = recorders[framework]()
    ours = of_ours(side)
    assert len(theirs) > 5, theirs
    for name, (count, total) in theirs.items():
        assert name in ours, (name, sorted(ours))
        assert ours[name][0] == count, (name, ours[name], count)
        assert abs(ours[name][1] - total) <= rounding * max(count, 1) + DIGITS * total, (name, ours[name], total)
    print(framework, f"{len(theirs)} operators, {sum(count for count, _ in theirs.values())} executions: the same")


def of_ours(side: str) -> Sums:
    """What our table by name says of the only recording, steps of all numbers together."""
    names = [path.relative_to(FOLDER).as_posix() for path in sorted(FOLDER.rglob("*")) if path.is_file()]
    (source,) = sources_of(names)
    analysed = analyse(read(source, Files(os.fspath(FOLDER)), lambda share: None))
    found: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    for row in analysed.operators("name", side=side, limit=None).rows:
        name = re.sub(r"^ProfileStep#\d+$", "ProfileStep", row["name"])
        found[name] = (found[name][0] + row["count"], found[name][1] + 1000 * row["total"])
    return dict(found)


def of_torch() -> tuple[Sums, float, str]:
    """`key_averages()`, with calls of operators and annotations that only call themselves again."""
    import torch
    from torch.profiler import ProfilerActivity, profile, record_function

    network = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU())
    optimizer = torch.optim.Adam(network.parameters())
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
        for _ in range(STEPS):
            with record_function("around"), record_function("around"):
                loss = network(torch.ones(4, 1, 8, 8)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            profiler.step()
    FOLDER.mkdir(exist_ok=True)
    profiler.export_chrome_trace(os.fspath(FOLDER / "worker.pt.trace.json"))
    return {row.key: (row.count, row.cpu_time_total) for row in profiler.key_averages()}, 0.001, ""


def of_paddle() -> tuple[Sums, float, str]:
    """The tables of operators, phases and named events of `summary()`."""
    import paddle
    from paddle import profiler as paddles

    network = paddle.nn.Sequential(paddle.nn.Linear(32, 8), paddle.nn.ReLU(), paddle.nn.Linear(8, 1))
    optimizer = paddle.optimizer.Adam(parameters=network.parameters())
    profiler = paddles.Profiler(
        targets=[paddles.ProfilerTarget.CPU],
        scheduler=(1, 1 + STEPS),
        on_trace_ready=paddles.export_chrome_tracing(os.fspath(FOLDER), "worker"),
    )
    with profiler:
        for _ in range(STEPS + 2):
            with paddles.RecordEvent("named"):
                loss = network(paddle.ones([16, 32])).sum()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            profiler.step()
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        profiler.summary(op_detail=True, thread_sep=False, time_unit="us")
    tables = said.getvalue()
    found: Sums = {}
    for line in tables[tables.index("Operator Summary") :].partition("Memory Summary")[0].splitlines():
        # Rows that are set in count only what happened inside of the operator above.
        if (row := re.match(r"^(\S.*?)\s{2,}(\d+)\s+([\d.]+) / ", line)) is not None:
            count, total = found.get(row[1], (0, 0.0))
            found[row[1]] = (count + int(row[2]), total + float(row[3]))
    return found, 0.01, ""


def of_jax() -> tuple[Sums, float, str]:
    """Compiled operators as JAX itself reads its recording, whose viewer has no table of them on a CPU."""
    import jax

    first, second = np.ones((32, 8), np.float32), np.ones((8, 1), np.float32)
    loss = jax.jit(jax.grad(lambda weights, batch: jax.numpy.tanh(batch @ weights @ second).sum()))
    batch = np.ones((16, 32), np.float32)
    loss(first, batch).block_until_ready()
    with jax.profiler.trace(os.fspath(FOLDER)):
        for number in range(STEPS):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                jax.numpy.linalg.svd(loss(first, batch))[0].block_until_ready()
    (recording,) = FOLDER.rglob("*.xplane.pb")
    found: Sums = {}
    for plane in jax.profiler.ProfileData.from_file(os.fspath(recording)).planes:
        for event in (event for line in plane.lines for event in line.events):
            if any(name == "hlo_op" for name, _ in event.stats):
                count, total = found.get(event.name, (0, 0.0))
                found[event.name] = (count + 1, total + event.duration_ns / 1000)
    return found, 0.001, "host"


def of_mindspore() -> tuple[Sums, float, str]:
    """MindSpore's own `cpu_op_detail_info_0.csv`."""
    import mindspore
    from mindspore import nn

    network = nn.SequentialCell(nn.Dense(32, 8), nn.ReLU(), nn.Dense(8, 1))
    with_loss = nn.WithLossCell(network, nn.MSELoss())
    training = nn.TrainOneStepCell(with_loss, nn.Adam(network.trainable_params()))
    batch, wanted = (mindspore.Tensor(np.ones(shape, np.float32)) for shape in ((16, 32), (16, 1)))
    profiler: Any = mindspore.Profiler(output_path=os.fspath(FOLDER))
    for _ in range(STEPS):
        training(batch, wanted).asnumpy()
    profiler.analyse()
    (table,) = FOLDER.rglob("cpu_op_detail_info_0.csv")
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return (
        {row["full_op_name"]: (int(row["op_occurrences"]), 1000 * float(row["op_total_time(ms)"])) for row in rows},
        0.01,
        "host",
    )


if __name__ == "__main__":
    main()
