"""Encode TensorBoard events (PyTorch, tensorboardX, TensorFlow); records are framed with checksums."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mindinsight_like.logs.framing import frame
from mindinsight_like.logs.protobuf.schemas.tensorboard import (
    Event,
    HistogramProto,
    SessionLog,
    Summary,
    SummaryMetadata,
    TaggedRunMetadata,
)
from mindinsight_like.logs.protobuf.schemas.tensorflow import DataType, TensorProto, TensorShapeProto
from mindinsight_like.writers.encoding import wire

if TYPE_CHECKING:
    import numpy.typing as npt

    from mindinsight_like.writers.encoding.audio import Sound

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

_DTYPES = {
    "float32": DataType.DT_FLOAT,
    "float64": DataType.DT_DOUBLE,
    "int32": DataType.DT_INT32,
    "uint8": DataType.DT_UINT8,
    "int16": DataType.DT_INT16,
    "int8": DataType.DT_INT8,
    "complex64": DataType.DT_COMPLEX64,
    "int64": DataType.DT_INT64,
    "bool": DataType.DT_BOOL,
    "uint16": DataType.DT_UINT16,
    "complex128": DataType.DT_COMPLEX128,
    "float16": DataType.DT_HALF,
    "uint32": DataType.DT_UINT32,
    "uint64": DataType.DT_UINT64,
}
# A scalar's event is put together from these, not field by field, as training writes many.
_WALL = struct.Struct("<Bd")
_WALL_KEY = wire.key(Event.wall_time, wire.FIXED64)[0]
_STEP_KEY = wire.key(Event.step, wire.VARINT)
_SUMMARY_KEY = wire.key(Event.summary, wire.BYTES)
_VALUE_KEY = wire.key(Summary.value, wire.BYTES)
_SIMPLE_VALUE_KEY = wire.key(Summary.Value.simple_value, wire.FIXED32)
_FLOAT = struct.Struct("<f")


def file_name(started: float, *, host: str, process: int = 0, number: int = 0) -> str:
    """The name torch and tensorboard give: start in whole seconds, then what keeps writers apart."""
    return f"events.out.tfevents.{int(started):010d}.{host}.{process}.{number}"


def opening(wall_time: float) -> bytes:
    """The first event of every file."""
    return wire.double(Event.wall_time, wall_time, implicit=True) + wire.text(Event.file_version, "brain.Event:2")


def event(values: Sequence[bytes], *, step: int, wall_time: float) -> bytes:
    """An event that holds the values (made by the functions below) of one step."""
    return summary(b"".join(wire.blob(Summary.value, value) for value in values), step=step, wall_time=wall_time)


def summary(content: bytes, *, step: int, wall_time: float) -> bytes:
    """An event that holds a Summary message."""
    return _moment(step, wall_time) + wire.blob(Event.summary, content)


def version(step: int, wall_time: float) -> bytes:
    """An event like the first of the file, at a step; torch and tensorboardX write one where a run is resumed."""
    return _moment(step, wall_time) + wire.text(Event.file_version, "brain.Event:2")


def session_start(step: int, wall_time: float) -> bytes:
    """The event that tells readers to forget what was recorded from this step on."""
    start = wire.integer(SessionLog.status, SessionLog.SessionStatus.START)
    return _moment(step, wall_time) + wire.blob(Event.session_log, start)


def graph(definition: bytes, *, wall_time: float) -> bytes:
    """The event that holds a GraphDef message."""
    return wire.double(Event.wall_time, wall_time, implicit=True) + wire.blob(Event.graph_def, definition)


def run_metadata(tag: str, metadata: bytes, *, wall_time: float) -> bytes:
    """The event that holds a RunMetadata message."""
    content = wire.text(TaggedRunMetadata.tag, tag, implicit=True)
    content += wire.blob(TaggedRunMetadata.run_metadata, metadata)
    return wire.double(Event.wall_time, wall_time, implicit=True) + wire.blob(Event.tagged_run_metadata, content)


def scalar_head(tag: str) -> bytes:
    """What is the same in all events of a scalar: everything but time, step and number."""
    name = wire.text(Summary.Value.tag, tag, implicit=True) + _SIMPLE_VALUE_KEY
    value = wire.varint(len(name) + 4) + name
    return _SUMMARY_KEY + wire.varint(len(value) + 5) + _VALUE_KEY + value


def scalar_event(head: bytes, value: float, step: int, wall_time: float) -> bytes:
    """The event of `scalar`, made as often as training has steps: from a head known before, in few steps."""
    try:
        number = _FLOAT.pack(value)
    except OverflowError:
        number = wire.packed_single(value)
    if not step or not wall_time:
        return _moment(step, wall_time) + head + number
    return _WALL.pack(_WALL_KEY, wall_time) + _STEP_KEY + wire.varint(step) + head + number


def scalar(tag: str, value: float) -> bytes:
    """A number in single precision, as torch and tensorboardX write it."""
    return wire.text(Summary.Value.tag, tag, implicit=True) + wire.single(Summary.Value.simple_value, value)


def tensor_scalar(tag: str, value: float) -> bytes:
    """A number in single precision, as `tf.summary` of TensorFlow 2 writes it: a tensor without dimensions."""
    return _tensor_value(
        tag,
        wire.integer(TensorProto.dtype, DataType.DT_FLOAT)
        + wire.blob(TensorProto.tensor_shape, b"")
        + wire.blob(TensorProto.tensor_content, wire.packed_single(value)),
        _metadata("scalars"),
    )


def described_scalar(tag: str, value: float, *, display_name: str, description: str) -> bytes:
    """A number in single precision with a title and a text, as tensorboardX writes it."""
    metadata = wire.text(SummaryMetadata.display_name, display_name, implicit=True)
    metadata += wire.text(SummaryMetadata.summary_description, description, implicit=True)
    return scalar(tag, value) + wire.blob(Summary.Value.metadata, metadata)


def single_scalar(tag: str, value: float) -> bytes:
    """A number in single precision, as torch writes it with `new_style=True`."""
    content = wire.integer(TensorProto.dtype, DataType.DT_FLOAT)
    content += wire.blob(TensorProto.float_val, wire.packed_single(value))
    return _tensor_value(tag, content, _metadata("scalars"))


def double_scalar(tag: str, value: float) -> bytes:
    """A number in double precision, as torch writes it with `double_precision=True`."""
    content = wire.integer(TensorProto.dtype, DataType.DT_DOUBLE) + wire.doubles(TensorProto.double_val, [value])
    return _tensor_value(tag, content, _metadata("scalars"))


def image(tag: str, png: bytes, *, width: int, height: int, channels: int = 3) -> bytes:
    """A picture, already encoded."""
    content = (
        wire.integer(Summary.Image.height, height)
        + wire.integer(Summary.Image.width, width)
        + wire.integer(Summary.Image.colorspace, channels)
        + wire.blob(Summary.Image.encoded_image_string, png)
    )
    return wire.text(Summary.Value.tag, tag, implicit=True) + wire.blob(Summary.Value.image, content)


def audio(tag: str, sound: Sound) -> bytes:
    """A sound."""
    content = (
        wire.single(Summary.Audio.sample_rate, sound.sample_rate)
        + wire.integer(Summary.Audio.num_channels, sound.channels)
        + wire.integer(Summary.Audio.length_frames, sound.frames)
        + wire.blob(Summary.Audio.encoded_audio_string, sound.file)
        + wire.text(Summary.Audio.content_type, "audio/wav")
    )
    return wire.text(Summary.Value.tag, tag, implicit=True) + wire.blob(Summary.Value.audio, content)


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
    proto = HistogramProto
    fields = (proto.min, proto.max, proto.num, proto.sum, proto.sum_squares)
    content = b"".join(map(_implicit_double, fields, statistics))
    content += wire.doubles(proto.bucket_limit, limits) + wire.doubles(proto.bucket, counts)
    return wire.text(Summary.Value.tag, tag, implicit=True) + wire.blob(Summary.Value.histo, content)


def text(tag: str, markdown: str) -> bytes:
    """A text as torch writes it: its tag ends in `/text_summary`, which TensorBoard strips."""
    return strings(f"{tag}/text_summary", [markdown.encode()], shape=(1,), plugin="text")


def strings(
    tag: str, contents: Sequence[bytes], *, shape: tuple[int, ...], plugin: str, settings: bytes = b""
) -> bytes:
    """A tensor of strings, for the plugin that knows what they mean."""
    content = wire.integer(TensorProto.dtype, DataType.DT_STRING) + _shape(shape)
    content += b"".join(wire.blob(TensorProto.string_val, each) for each in contents)
    return _tensor_value(tag, content, _metadata(plugin, settings))


def tensor(tag: str, array: Array, *, plugin: str, settings: bytes = b"") -> bytes:
    """An array of numbers or booleans, for the plugin that knows what they mean."""
    dtype = _DTYPES[array.dtype.name]
    data = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False).tobytes()
    content = wire.integer(TensorProto.dtype, dtype) + _shape(array.shape)
    return _tensor_value(tag, content + wire.blob(TensorProto.tensor_content, data), _metadata(plugin, settings))


def bare(tag: str, *, plugin: str, settings: bytes) -> bytes:
    """A value that consists of nothing but what a plugin keeps with it."""
    return wire.text(Summary.Value.tag, tag, implicit=True) + _metadata(plugin, settings)


def _moment(step: int, wall_time: float) -> bytes:
    return wire.double(Event.wall_time, wall_time, implicit=True) + wire.integer(Event.step, step, implicit=True)


def _implicit_double(field: int, value: float) -> bytes:
    return wire.double(field, value, implicit=True)


def _tensor_value(tag: str, tensor_message: bytes, metadata: bytes) -> bytes:
    name = wire.text(Summary.Value.tag, tag, implicit=True)
    return name + wire.blob(Summary.Value.tensor, tensor_message) + metadata


def _shape(shape: tuple[int, ...]) -> bytes:
    sizes = (wire.integer(TensorShapeProto.Dim.size, length, implicit=True) for length in shape)
    return wire.blob(TensorProto.tensor_shape, b"".join(wire.blob(TensorShapeProto.dim, size) for size in sizes))


def _metadata(plugin: str, settings: bytes = b"") -> bytes:
    content = wire.text(SummaryMetadata.PluginData.plugin_name, plugin)
    if settings:
        content += wire.blob(SummaryMetadata.PluginData.content, settings)
    return wire.blob(Summary.Value.metadata, wire.blob(SummaryMetadata.plugin_data, content))
