"""How long a very large graph takes to its first picture, on the side of the service."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from mindinsight_like.writers.encoding import tensorboard, wire

from . import ours, yardsticks
from .measurements import Bench
from .report import Row

NODES = 100_000
_FIRST_RATIO = 4.0
_NEXT_RATIO = 1 / 8
_TYPES = ("Conv2D", "Relu", "Add", "MatMul", "Mul", "BatchNorm")


def graphs(bench: Bench) -> list[Row]:
    """The first scope of a graph that nobody has opened yet, and scopes of one that is open."""
    rows: list[Row] = []
    for name, make in FORMATS.items():
        first: list[float] = []
        following: list[float] = []
        reading: list[float] = []
        for _ in range(bench.repeat):
            reading.append(yardsticks.reading_json_ms(_nodes()))
            with bench.scratch() as scratch:
                make(scratch / "logs" / "run")
                with ours.serving(scratch / "logs", scratch / "workspace", scratch, runs=1) as service:
                    run = service.runs()[0]
                    graph = service.json("graphs", [("run", run)])["graphs"][0]["graph"]
                    for scope in ("", "net", "net/stage_0", "net/stage_0/block_3"):
                        started = time.perf_counter()
                        answer = service.json("graphs/nodes", [("run", run), ("graph", graph), ("scope", scope)])
                        (following if scope else first).append((time.perf_counter() - started) * 1e3)
                        assert answer["totals"]["nodes"] >= NODES
        note = f"slowest {max(first):.0f} ms; yardstick: Python's json reads the same nodes"
        rows.append(
            Row(f"first scope of {NODES:,} nodes, {name}", "ms", first, reading, ratio_limit=_FIRST_RATIO, note=note)
        )
        note = f"slowest {max(following):.0f} ms; same yardstick"
        rows.append(Row(f"another scope of them, {name}", "ms", following, reading, ratio_limit=_NEXT_RATIO, note=note))
    return rows


def _nodes() -> Iterator[tuple[str, str, list[str]]]:
    """Name, type and inputs of nodes in four levels of scopes, most of them linked to near ones."""
    chance = random.Random(1)
    names: list[str] = []
    for place in range(NODES):
        name = f"net/stage_{place // 20_000}/block_{place // 500}/layer_{place // 20}/op_{place}"
        inputs = names[-1:] + ([names[-chance.randint(2, 30)]] if place > 30 else [])
        yield name, chance.choice(_TYPES), inputs
        names.append(name)


def tensorflow_graph(folder: Path) -> None:
    sizes = b"".join(wire.blob(2, wire.integer(1, size)) for size in (1, 3, 224, 224))
    attributes = {
        "_output_shapes": wire.blob(1, wire.blob(7, sizes)),
        "T": wire.integer(6, 1),
        "data_format": wire.text(2, "NCHW"),
    }
    held = b"".join(wire.blob(5, wire.text(1, name) + wire.blob(2, value)) for name, value in attributes.items())
    nodes = [
        wire.blob(1, wire.text(1, name) + wire.text(2, kind) + b"".join(wire.text(3, each) for each in inputs) + held)
        for name, kind, inputs in _nodes()
    ]
    event = tensorboard.graph(b"".join(nodes), wall_time=1.75e9)
    _write(folder / "events.out.tfevents.1750000000.bench", tensorboard.frame(event))


def mindspore_graph(folder: Path) -> None:
    sizes = b"".join(wire.blob(1, wire.integer(1, size)) for size in (1, 3, 224, 224))
    output = wire.integer(1, 14) + wire.blob(2, wire.integer(1, 11) + wire.blob(2, sizes))
    attribute = wire.text(1, "pad_mode") + wire.blob(2, wire.integer(1, 13) + wire.text(7, "same"))
    nodes = []
    for place, (name, kind, inputs) in enumerate(_nodes(), 1):
        numbers = [each.rpartition("_")[2] for each in inputs]
        content = b"".join(wire.blob(1, wire.text(1, str(int(each) + 1)) + wire.integer(2, 0)) for each in numbers)
        content += wire.blob(1, wire.text(1, f"weight_{place}")) if place % 3 == 0 else b""
        content += wire.text(2, str(place)) + wire.text(3, kind) + wire.text(4, name.rpartition("/")[0])
        nodes.append(wire.blob(1, content + wire.blob(5, attribute) + wire.blob(6, output) + wire.text(8, name)))
    weights = [wire.blob(3, wire.text(1, f"weight_{place}") + wire.blob(2, output)) for place in range(3, NODES + 1, 3)]
    _write(folder / "ms_output_optimize.pb", wire.integer(1, 1) + wire.blob(4, b"".join([*nodes, *weights])))


def onnx_graph(folder: Path) -> None:
    nodes, weights = [], []
    for place, (name, kind, inputs) in enumerate(_nodes()):
        content = b"".join(wire.text(1, f"{each}_output") for each in inputs)
        if place % 3 == 0:
            content += wire.text(1, f"weight_{place}")
            sizes = b"".join(wire.integer(1, size) for size in (3, 3))
            weights.append(
                wire.blob(5, sizes + wire.integer(2, 1) + wire.text(8, f"weight_{place}") + wire.blob(9, b"1" * 36))
            )
        content += wire.text(2, f"{name}_output") + wire.text(3, f"/{name}") + wire.text(4, kind)
        attribute = wire.text(1, "group") + wire.integer(3, 1) + wire.integer(20, 2)
        nodes.append(wire.blob(1, content + wire.blob(5, attribute)))
    _write(folder / "net.onnx", wire.integer(1, 8) + wire.blob(7, b"".join([*nodes, *weights])))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)


FORMATS: dict[str, Callable[[Path], None]] = {
    "TensorBoard": tensorflow_graph,
    "MindSpore": mindspore_graph,
    "ONNX": onnx_graph,
}
