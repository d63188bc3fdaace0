"""Run time and memory of the nodes of TensorFlow graphs, from the run metadata in the log."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.graphs.columns import Graph
from mindinsight_like.logs.protobuf.message_columns import FieldColumns, each_last, walk, walk_one
from mindinsight_like.logs.protobuf.schemas.tensorboard import TaggedRunMetadata
from mindinsight_like.logs.protobuf.schemas.tensorflow import (
    AllocatorMemoryUsed,
    DeviceStepStats,
    NodeExecStats,
    RunMetadata,
    StepStats,
)
from mindinsight_like.logs.protobuf.wire import VARINT, Malformed

Floats = NDArray[np.float64]


class Cost(NamedTuple):
    """Of a node, or of several together."""

    micros: float
    memory: int  # bytes


@dataclass(frozen=True)
class Costs:
    """Of one step that was traced; a node that was not run costs nothing."""

    tag: str
    micros: Floats  # of each node
    memory: Floats  # bytes

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        return np.append(0, np.cumsum(self.micros)), np.append(0, np.cumsum(self.memory))

    @property
    def has_data(self) -> bool:
        """Whether any node was run."""
        return bool(self.micros.any() or self.memory.any())

    def between(self, first: int, end: int) -> Cost:
        """Of a range of nodes."""
        micros, memory = self._sums
        return Cost(float(micros[end] - micros[first]), int(memory[end] - memory[first]))

    def of(self, nodes: NDArray[np.int64]) -> Cost:
        return Cost(float(self.micros[nodes].sum()), int(self.memory[nodes].sum()))


def costs_in(metadata: bytes, tag: str, graph: Graph) -> Costs:
    """What a record of run metadata tells of a graph's nodes; nothing where it is damaged."""
    costs = Costs(tag, np.zeros(len(graph)), np.zeros(len(graph)))
    try:
        inner = walk_one(metadata).of(TaggedRunMetadata.run_metadata)
        for begin, end in zip(inner.begins.tolist(), inner.ends.tolist(), strict=True):
            _add_steps(metadata, walk_one(metadata, begin, end).of(RunMetadata.step_stats), graph, costs)
    except Malformed:
        return Costs(tag, np.zeros(len(graph)), np.zeros(len(graph)))
    return costs


def _add_steps(data: bytes, steps: FieldColumns, graph: Graph, costs: Costs) -> None:
    """Adds what the devices say of each node."""
    devices = walk(data, steps.begins, steps.ends).of(StepStats.dev_stats)
    stats = walk(data, devices.begins, devices.ends).of(DeviceStepStats.node_stats)
    if not len(stats.begins):
        return
    count = len(stats.begins)
    fields = walk(data, stats.begins, stats.ends)
    names = each_last(data, fields.of(NodeExecStats.node_name), count)
    micros = np.zeros(count)
    ends = fields.of(NodeExecStats.all_end_rel_micros, VARINT)
    micros[ends.owners] = np.maximum(ends.numbers.view(np.int64), 0)
    memory = np.zeros(count)
    used = fields.of(NodeExecStats.memory)
    totals = walk(data, used.begins, used.ends).of(AllocatorMemoryUsed.total_bytes, VARINT)
    np.add.at(memory, used.owners[totals.owners], np.maximum(totals.numbers.view(np.int64), 0))
    numbers = {name: number for number, name in enumerate(graph.names)}
    for name, time, size in zip(names, micros.tolist(), memory.tolist(), strict=True):
        text = name.decode(errors="replace")
        node = numbers.get(
            text, numbers.get(f"{text}/({text.rpartition('/')[2]})")
        )  # one that gave its name to a scope
        if node is not None:
            costs.micros[node] += time
            costs.memory[node] += size
