"""Encode graphs as TensorFlow's GraphDef messages, which TensorBoard shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mindinsight_like.logs.protobuf.schemas.tensorflow import (
    AttrValue,
    DeviceStepStats,
    GraphDef,
    NodeDef,
    RunMetadata,
    StepStats,
    TensorShapeProto,
    VersionDef,
)
from mindinsight_like.writers.encoding import wire

_PRODUCER = 22  # of the graph's version; what torch writes

RUN_METADATA = wire.blob(  # stands beside every graph torch writes
    RunMetadata.step_stats, wire.blob(StepStats.dev_stats, wire.text(DeviceStepStats.device, "/device:CPU:0"))
)


def node(
    name: str, operation: str, inputs: Iterable[str], *, shape: Sequence[int] | None = None, attributes: str = ""
) -> bytes:
    """A node with what is known of it: the shape of its output, and a text of attributes."""
    content = wire.text(NodeDef.name, name) + wire.text(NodeDef.op, operation)
    content += b"".join(wire.text(NodeDef.input, each) for each in inputs)
    if attributes:
        content += _attribute("attr", wire.text(AttrValue.s, attributes))
    if shape is not None:
        sizes = (wire.integer(TensorShapeProto.Dim.size, length, implicit=True) for length in shape)
        dims = b"".join(wire.blob(TensorShapeProto.dim, size) for size in sizes)
        content += _attribute("_output_shapes", wire.blob(AttrValue.list, wire.blob(AttrValue.ListValue.shape, dims)))
    return content


def graph(nodes: Iterable[bytes]) -> bytes:
    """The whole graph."""
    versions = wire.integer(VersionDef.producer, _PRODUCER)
    return b"".join(wire.blob(GraphDef.node, each) for each in nodes) + wire.blob(GraphDef.versions, versions)


def _attribute(name: str, value: bytes) -> bytes:
    return wire.blob(NodeDef.attr, wire.text(NodeDef.AttrEntry.key, name) + wire.blob(NodeDef.AttrEntry.value, value))
