"""Encode graphs as TensorFlow's GraphDef messages, which TensorBoard shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mindinsight_like.writers import wire

_PRODUCER = 22  # of the graph's version; what torch writes

RUN_METADATA = wire.blob(1, wire.blob(1, wire.text(1, "/device:CPU:0")))  # stands beside every graph torch writes


def node(
    name: str, operation: str, inputs: Iterable[str], *, shape: Sequence[int] | None = None, attributes: str = ""
) -> bytes:
    """A node with what is known of it: the shape of its output, and a text of attributes."""
    content = wire.text(1, name) + wire.text(2, operation) + b"".join(wire.text(3, each) for each in inputs)
    if attributes:
        content += _attribute("attr", wire.text(2, attributes))
    if shape is not None:
        dims = b"".join(wire.blob(2, wire.integer(1, length, implicit=True)) for length in shape)
        content += _attribute("_output_shapes", wire.blob(1, wire.blob(7, dims)))
    return content


def graph(nodes: Iterable[bytes]) -> bytes:
    """The whole graph."""
    return b"".join(wire.blob(1, each) for each in nodes) + wire.blob(4, wire.integer(1, _PRODUCER))


def _attribute(name: str, value: bytes) -> bytes:
    return wire.blob(5, wire.text(1, name) + wire.blob(2, value))
