"""Encode TensorBoard events (PyTorch, tensorboardX, TensorFlow); records are framed with checksums."""

from collections.abc import Sequence

from mindinsight_like.logs.framing import frame
from mindinsight_like.writers import wire

__all__ = [
    "double_scalar",
    "event",
    "file_name",
    "frame",
    "histogram",
    "image",
    "opening",
    "scalar",
    "tensor_scalar",
    "text",
]

_DT_FLOAT, _DT_DOUBLE, _DT_STRING = 1, 2, 7


def file_name(started: float, *, host: str, process: int = 0, number: int = 0) -> str:
    """The name torch and tensorboard give: start in whole seconds, then what keeps writers apart."""
    return f"events.out.tfevents.{int(started):010d}.{host}.{process}.{number}"


def opening(wall_time: float) -> bytes:
    """The first event of every file."""
    return wire.double(1, wall_time, implicit=True) + wire.text(3, "brain.Event:2")


def event(values: Sequence[bytes], *, step: int, wall_time: float) -> bytes:
    """An event that holds the values (made by the functions below) of one step."""
    summary = b"".join(wire.blob(1, value) for value in values)
    return wire.double(1, wall_time, implicit=True) + wire.integer(2, step, implicit=True) + wire.blob(5, summary)


def scalar(tag: str, value: float) -> bytes:
    """A number in single precision, as torch and tensorboardX write it."""
    return wire.text(1, tag, implicit=True) + wire.single(2, value)


def tensor_scalar(tag: str, value: float) -> bytes:
    """A number in single precision, as `tf.summary` of TensorFlow 2 writes it: a tensor without dimensions."""
    tensor = wire.integer(1, _DT_FLOAT) + wire.blob(2, b"") + wire.blob(4, wire.packed_single(value))
    return wire.text(1, tag, implicit=True) + wire.blob(8, tensor) + _metadata("scalars")


def double_scalar(tag: str, value: float) -> bytes:
    """A number in double precision, as torch writes it with `double_precision=True`."""
    tensor = wire.integer(1, _DT_DOUBLE) + wire.doubles(6, [value])
    return wire.text(1, tag, implicit=True) + wire.blob(8, tensor) + _metadata("scalars")


def image(tag: str, png: bytes, *, width: int, height: int, channels: int = 3) -> bytes:
    """A picture, already encoded."""
    content = wire.integer(1, height) + wire.integer(2, width) + wire.integer(3, channels) + wire.blob(4, png)
    return wire.text(1, tag, implicit=True) + wire.blob(4, content)


def histogram(
    tag: str,
    edges: Sequence[float],
    counts: Sequence[int],
    *,
    total: float,
    sum_squares: float,
) -> bytes:
    """Counts between neighbouring edges; `total` and `sum_squares` are sums over the values counted."""
    content = (
        wire.double(1, edges[0], implicit=True)
        + wire.double(2, edges[-1], implicit=True)
        + wire.double(3, sum(counts), implicit=True)
        + wire.double(4, total, implicit=True)
        + wire.double(5, sum_squares, implicit=True)
        + wire.doubles(6, edges[1:])
        + wire.doubles(7, counts)
    )
    return wire.text(1, tag, implicit=True) + wire.blob(5, content)


def text(tag: str, markdown: str) -> bytes:
    """A text as torch writes it: its tag ends in `/text_summary`, which TensorBoard strips."""
    shape = wire.blob(2, wire.integer(1, 1))
    tensor = wire.integer(1, _DT_STRING) + wire.blob(2, shape) + wire.text(8, markdown)
    return wire.text(1, f"{tag}/text_summary") + wire.blob(8, tensor) + _metadata("text")


def _metadata(plugin: str) -> bytes:
    return wire.blob(9, wire.blob(1, wire.text(1, plugin)))
