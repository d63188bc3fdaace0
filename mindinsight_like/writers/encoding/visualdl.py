"""Encode VisualDL 2.x records; they are framed by their length alone, without checksums."""

import struct
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from mindinsight_like.logs.protobuf.schemas.visualdl import Record
from mindinsight_like.writers.encoding import wire

_LENGTH = struct.Struct("<Q")
_SINGLE = struct.Struct("<f")
_VALUES_KEY = wire.key(Record.values, wire.BYTES)
_ID_KEY = wire.key(Record.Value.id, wire.VARINT)
_VALUE_KEY = wire.key(Record.Value.value, wire.FIXED32)


def frame(payload: bytes) -> bytes:
    """The record as it stands in the file."""
    return _LENGTH.pack(len(payload)) + payload


def file_name(started: float) -> str:
    """The name VisualDL gives: start in whole seconds."""
    return f"vdlrecords.{int(started):010d}.log"


def graph_file_name(started: float) -> str:
    """The name of the file that holds one model graph as JSON."""
    return f"vdlgraph.{int(started):010d}.log"


def opening(display_name: str, *, wall_time: float) -> bytes:
    """The first record of every file: the name under which the run is shown."""
    return record("meta_data_tag", meta(display_name), step=0, wall_time=wall_time)


def opening_at(display_name: str, wall_time: float) -> bytes:
    """The same with the time as it comes last."""
    return opening(display_name, wall_time=wall_time)


def record(tag: str, content: bytes, *, step: int, wall_time: float) -> bytes:
    """A record with one content (made by the functions below); its time is kept in milliseconds."""
    return stamped(tag, content, step, int(wall_time * 1000))


def stamped(tag: str, content: bytes, step: int, timestamp: int) -> bytes:
    """A record with one content and a time given as it is to be stored."""
    value = wire.integer(Record.Value.id, step, implicit=True) + _tag(tag) + _stamp(timestamp) + content
    return wire.blob(Record.values, value)


def scalar_record(tag: str, value: float, step: int, timestamp: int) -> bytes:
    """The record of a number: what `stamped` and `scalar` give, in fewer steps, since most records are of this kind."""
    try:
        number = _SINGLE.pack(value)
    except OverflowError:
        number = wire.packed_single(value)
    body = (_ID_KEY + wire.varint(step) if step else b"") + _tag(tag) + _stamp(timestamp) + _VALUE_KEY + number
    return _VALUES_KEY + wire.varint(len(body)) + body


@lru_cache(maxsize=16)  # many records share a millisecond
def _stamp(timestamp: int) -> bytes:
    return wire.integer(Record.Value.timestamp, timestamp, implicit=True)


@lru_cache(maxsize=4096)
def _tag(tag: str) -> bytes:
    return wire.text(Record.Value.tag, tag, implicit=True)


def scalar(value: float) -> bytes:
    """A number in single precision."""
    return wire.single(Record.Value.value, value)


def sub_scalar(sub: str, value: float) -> bytes:
    """A number of an `add_scalars` group under its key in the group."""
    number = wire.single(Record.TagValue.value, value) if value else b""
    return wire.blob(Record.Value.tag_value, wire.text(Record.TagValue.tag, sub, implicit=True) + number)


def image(png: bytes) -> bytes:
    """A picture, already encoded."""
    return wire.blob(Record.Value.image, wire.blob(Record.Image.encoded_image_string, png))


def audio(wav: bytes, *, sample_rate: int, channels: int, frames: int) -> bytes:
    """A sound, already encoded as WAV."""
    content = (
        wire.single(Record.Audio.sample_rate, sample_rate)
        + wire.integer(Record.Audio.num_channels, channels, implicit=True)
        + wire.integer(Record.Audio.length_frames, frames, implicit=True)
        + wire.blob(Record.Audio.encoded_audio_string, wav)
        + wire.text(Record.Audio.content_type, "audio/wav")
    )
    return wire.blob(Record.Value.audio, content)


def embeddings(vectors: Iterable[bytes], labels: Iterable[Sequence[str]], header: Sequence[str]) -> bytes:
    """Labelled points; a vector is given as its little-endian single-precision numbers, `header` names the labels."""
    points = (
        wire.blob(Record.Embeddings.embeddings, _embedding(vector, label))
        for vector, label in zip(vectors, labels, strict=True)
    )
    names = (wire.text(Record.Embeddings.label_meta, name) for name in header)
    return wire.blob(Record.Value.embeddings, b"".join(points) + b"".join(names))


def _embedding(vector: bytes, label: Sequence[str]) -> bytes:
    labels = b"".join(wire.text(Record.Embedding.label, part) for part in label)
    return labels + wire.blob(Record.Embedding.vectors, vector) if vector else labels


def histogram(edges: Sequence[float], counts: Sequence[int]) -> bytes:
    """Counts between neighbouring edges."""
    content = wire.doubles(Record.Histogram.hist, counts) + wire.doubles(Record.Histogram.bin_edges, edges)
    return wire.blob(Record.Value.histogram, content)


def pr_curve(counts: Sequence[Sequence[int]], precision: Sequence[float], recall: Sequence[float]) -> bytes:
    """A precision-recall curve; `counts` are true and false positives, true and false negatives per threshold."""
    proto = Record.PRCurve
    content = _counts((proto.TP, proto.FP, proto.TN, proto.FN), counts)
    content += wire.doubles(proto.precision, precision) + wire.doubles(proto.recall, recall)
    return wire.blob(Record.Value.pr_curve, content)


def meta(display_name: str) -> bytes:
    """The name under which the run is shown."""
    return wire.blob(Record.Value.meta_data, wire.text(Record.MetaData.display_name, display_name, implicit=True))


def roc_curve(counts: Sequence[Sequence[int]], tpr: Sequence[float], fpr: Sequence[float]) -> bytes:
    """A receiver operating characteristic; `counts` as in `pr_curve`, then the rates of true and false positives."""
    proto = Record.ROCCurve
    content = _counts((proto.TP, proto.FP, proto.TN, proto.FN), counts)
    return wire.blob(Record.Value.roc_curve, content + wire.doubles(proto.tpr, tpr) + wire.doubles(proto.fpr, fpr))


def text(content: str) -> bytes:
    """A text."""
    return wire.blob(Record.Value.text, wire.text(Record.Text.encoded_text_string, content, implicit=True))


def hparams(name: str, values: Mapping[str, int | float | str], metrics: Iterable[str]) -> bytes:
    """The hyperparameters of the run called `name`, and the tags of the scalars that measure it."""
    infos = (wire.blob(Record.HParam.hparamInfos, _hparam(key, value)) for key, value in values.items())
    measures = (wire.blob(Record.HParam.metricInfos, _hparam(metric, 0.0)) for metric in metrics)
    title = wire.text(Record.HParam.name, name, implicit=True)
    return wire.blob(Record.Value.hparam, b"".join(infos) + b"".join(measures) + title)


def _hparam(name: str, value: int | float | str) -> bytes:
    proto = Record.HParam.HparamInfo
    title = wire.text(proto.name, name, implicit=True)
    if isinstance(value, str):
        return wire.text(proto.string_value, value) + title
    if isinstance(value, float):
        return wire.double(proto.float_value, value) + title
    return wire.integer(proto.int_value, value) + title


def _counts(fields: Sequence[int], counts: Sequence[Sequence[int]]) -> bytes:
    """Packed lists of int64, one for each field."""
    columns = zip(fields, counts, strict=True)
    return b"".join(wire.blob(field, b"".join(map(wire.varint, numbers))) for field, numbers in columns)


def packed_singles(values: Iterable[float]) -> bytes:
    """Little-endian single-precision numbers, one behind the other."""
    numbers = array("f", values)
    if struct.pack("=H", 1) != struct.pack("<H", 1):
        numbers.byteswap()
    return numbers.tobytes()
