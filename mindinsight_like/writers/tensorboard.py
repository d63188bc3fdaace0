"""Encode TensorBoard events (PyTorch, tensorboardX, TensorFlow); records are framed with checksums."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mindinsight_like.logs.framing import frame
from mindinsight_like.writers import wire

if TYPE_CHECKING:
    import numpy.typing as npt

    from mindinsight_like.writers.sounds import Sound

    Array = npt.NDArray[Any]

__all__ = [
    "audio",
    "bare",
    "described_scalar",
    "double_scalar",
    "event",
    "file_name",
    "frame",
    "graph",
    "histogram",
    "image",
    "opening",
    "raw_histogram",
    "run_metadata",
    "scalar",
    "scalar_event",
    "scalar_head",
    "session_start",
    "single_scalar",
    "strings",
    "summary",
    "tensor",
    "tensor_scalar",
    "text",
    "version",
]

_DT_FLOAT, _DT_DOUBLE, _DT_STRING = 1, 2, 7
_DTYPES = {
    "float32": 1,
    "float64": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 5,
    "int8": 6,
    "complex64": 8,
    "int64": 9,
    "bool": 10,
    "uint16": 17,
    "complex128": 18,
    "float16": 19,
    "uint32": 22,
    "uint64": 23,
}
_SESSION_START = 1
_WALL = struct.Struct("<Bd")
_FLOAT = struct.Struct("<f")


def file_name(started: float, *, host: str, process: int = 0, number: int = 0) -> str:
    """The name torch and tensorboard give: start in whole seconds, then what keeps writers apart."""
    return f"events.out.tfevents.{int(started):010d}.{host}.{process}.{number}"


def opening(wall_time: float) -> bytes:
    """The first event of every file."""
    return wire.double(1, wall_time, implicit=True) + wire.text(3, "brain.Event:2")


def event(values: Sequence[bytes], *, step: int, wall_time: float) -> bytes:
    """An event that holds the values (made by the functions below) of one step."""
    return summary(b"".join(wire.blob(1, value) for value in values), step=step, wall_time=wall_time)


def summary(content: bytes, *, step: int, wall_time: float) -> bytes:
    """An event that holds a Summary message."""
    return _moment(step, wall_time) + wire.blob(5, content)


def version(step: int, wall_time: float) -> bytes:
    """An event like the first of the file, at a step; torch and tensorboardX write one where a run is resumed."""
    return _moment(step, wall_time) + wire.text(3, "brain.Event:2")


def session_start(step: int, wall_time: float) -> bytes:
    """The event that tells readers to forget what was recorded from this step on."""
    return _moment(step, wall_time) + wire.blob(7, wire.integer(1, _SESSION_START))


def graph(definition: bytes, *, wall_time: float) -> bytes:
    """The event that holds a GraphDef message."""
    return wire.double(1, wall_time, implicit=True) + wire.blob(4, definition)


def run_metadata(tag: str, metadata: bytes, *, wall_time: float) -> bytes:
    """The event that holds a RunMetadata message."""
    content = wire.text(1, tag, implicit=True) + wire.blob(2, metadata)
    return wire.double(1, wall_time, implicit=True) + wire.blob(8, content)


def scalar_head(tag: str) -> bytes:
    """What is the same in all events of a scalar: everything but time, step and number."""
    name = wire.text(1, tag, implicit=True) + b"\x15"
    value = wire.varint(len(name) + 4) + name
    return b"\x2a" + wire.varint(len(value) + 5) + b"\x0a" + value


def scalar_event(head: bytes, value: float, step: int, wall_time: float) -> bytes:
    """The event of `scalar`, made as often as training has steps: from a head known before, in few steps."""
    try:
        number = _FLOAT.pack(value)
    except OverflowError:
        number = wire.packed_single(value)
    if not step or not wall_time:
        return _moment(step, wall_time) + head + number
    return _WALL.pack(9, wall_time) + b"\x10" + wire.varint(step) + head + number


def scalar(tag: str, value: float) -> bytes:
    """A number in single precision, as torch and tensorboardX write it."""
    return wire.text(1, tag, implicit=True) + wire.single(2, value)


def tensor_scalar(tag: str, value: float) -> bytes:
    """A number in single precision, as `tf.summary` of TensorFlow 2 writes it: a tensor without dimensions."""
    content = wire.integer(1, _DT_FLOAT) + wire.blob(2, b"") + wire.blob(4, wire.packed_single(value))
    return wire.text(1, tag, implicit=True) + wire.blob(8, content) + _metadata("scalars")


def described_scalar(tag: str, value: float, *, display_name: str, description: str) -> bytes:
    """A number in single precision with a title and a text, as tensorboardX writes it."""
    metadata = wire.text(2, display_name, implicit=True) + wire.text(3, description, implicit=True)
    return scalar(tag, value) + wire.blob(9, metadata)


def single_scalar(tag: str, value: float) -> bytes:
    """A number in single precision, as torch writes it with `new_style=True`."""
    content = wire.integer(1, _DT_FLOAT) + wire.blob(5, wire.packed_single(value))
    return wire.text(1, tag, implicit=True) + wire.blob(8, content) + _metadata("scalars")


def double_scalar(tag: str, value: float) -> bytes:
    """A number in double precision, as torch writes it with `double_precision=True`."""
    content = wire.integer(1, _DT_DOUBLE) + wire.doubles(6, [value])
    return wire.text(1, tag, implicit=True) + wire.blob(8, content) + _metadata("scalars")


def image(tag: str, png: bytes, *, width: int, height: int, channels: int = 3) -> bytes:
    """A picture, already encoded."""
    content = wire.integer(1, height) + wire.integer(2, width) + wire.integer(3, channels) + wire.blob(4, png)
    return wire.text(1, tag, implicit=True) + wire.blob(4, content)


def audio(tag: str, sound: Sound) -> bytes:
    """A sound."""
    content = (
        wire.single(1, sound.sample_rate)
        + wire.integer(2, sound.channels)
        + wire.integer(3, sound.frames)
        + wire.blob(4, sound.file)
        + wire.text(5, "audio/wav")
    )
    return wire.text(1, tag, implicit=True) + wire.blob(6, content)


def histogram(
    tag: str,
    edges: Sequence[float],
    counts: Sequence[int],
    *,
    total: float,
    sum_squares: float,
) -> bytes:
    """Counts between neighbouring edges; `total` and `sum_squares` are sums over the values counted."""
    statistics = (edges[0], edges[-1], sum(counts), total, sum_squares)
    return raw_histogram(tag, statistics, limits=edges[1:], counts=counts)


def raw_histogram(
    tag: str,
    statistics: tuple[float, float, float, float, float],
    *,
    limits: Sequence[float],
    counts: Sequence[float],
) -> bytes:
    """Counts up to each limit, with the values' minimum, maximum, number, sum, and sum of squares."""
    content = b"".join(wire.double(field, number, implicit=True) for field, number in enumerate(statistics, 1))
    content += wire.doubles(6, limits) + wire.doubles(7, counts)
    return wire.text(1, tag, implicit=True) + wire.blob(5, content)


def text(tag: str, markdown: str) -> bytes:
    """A text as torch writes it: its tag ends in `/text_summary`, which TensorBoard strips."""
    return strings(f"{tag}/text_summary", [markdown.encode()], shape=(1,), plugin="text")


def strings(
    tag: str, contents: Sequence[bytes], *, shape: tuple[int, ...], plugin: str, settings: bytes = b""
) -> bytes:
    """A tensor of strings, for the plugin that knows what they mean."""
    content = wire.integer(1, _DT_STRING) + _shape(shape) + b"".join(wire.blob(8, each) for each in contents)
    return wire.text(1, tag, implicit=True) + wire.blob(8, content) + _metadata(plugin, settings)


def tensor(tag: str, array: Array, *, plugin: str, settings: bytes = b"") -> bytes:
    """An array of numbers or booleans, for the plugin that knows what they mean."""
    dtype = _DTYPES[array.dtype.name]
    data = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False).tobytes()
    content = wire.integer(1, dtype) + _shape(array.shape) + wire.blob(4, data)
    return wire.text(1, tag, implicit=True) + wire.blob(8, content) + _metadata(plugin, settings)


def bare(tag: str, *, plugin: str, settings: bytes) -> bytes:
    """A value that consists of nothing but what a plugin keeps with it."""
    return wire.text(1, tag, implicit=True) + _metadata(plugin, settings)


def _moment(step: int, wall_time: float) -> bytes:
    return wire.double(1, wall_time, implicit=True) + wire.integer(2, step, implicit=True)


def _shape(shape: tuple[int, ...]) -> bytes:
    return wire.blob(2, b"".join(wire.blob(2, wire.integer(1, length, implicit=True)) for length in shape))


def _metadata(plugin: str, settings: bytes = b"") -> bytes:
    content = wire.text(1, plugin) + (wire.blob(2, settings) if settings else b"")
    return wire.blob(9, wire.blob(1, content))
