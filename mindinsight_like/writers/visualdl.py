"""Encode VisualDL 2.x records; they are framed by their length alone, without checksums."""

import struct
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from mindinsight_like.writers import wire

_LENGTH = struct.Struct("<Q")
_SINGLE = struct.Struct("<f")


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
    value = wire.integer(1, step, implicit=True) + _tag(tag) + _stamp(timestamp) + content
    return wire.blob(1, value)


def scalar_record(tag: str, value: float, step: int, timestamp: int) -> bytes:
    """The record of a number: what `stamped` and `scalar` give, in fewer steps, since most records are of this kind."""
    try:
        number = _SINGLE.pack(value)
    except OverflowError:
        number = wire.packed_single(value)
    body = (b"\x08" + wire.varint(step) if step else b"") + _tag(tag) + _stamp(timestamp) + b"\x25" + number
    return b"\x0a" + wire.varint(len(body)) + body


@lru_cache(maxsize=16)  # many records share a millisecond
def _stamp(timestamp: int) -> bytes:
    return wire.integer(3, timestamp, implicit=True)


@lru_cache(maxsize=4096)
def _tag(tag: str) -> bytes:
    return wire.text(2, tag, implicit=True)


def scalar(value: float) -> bytes:
    """A number in single precision."""
    return wire.single(4, value)


def sub_scalar(sub: str, value: float) -> bytes:
    """A number of an `add_scalars` group under its key in the group."""
    number = wire.single(2, value) if value else b""
    return wire.blob(14, wire.text(1, sub, implicit=True) + number)


def image(png: bytes) -> bytes:
    """A picture, already encoded."""
    return wire.blob(5, wire.blob(4, png))


def audio(wav: bytes, *, sample_rate: int, channels: int, frames: int) -> bytes:
    """A sound, already encoded as WAV."""
    content = (
        wire.single(1, sample_rate)
        + wire.integer(2, channels, implicit=True)
        + wire.integer(3, frames, implicit=True)
        + wire.blob(4, wav)
        + wire.text(5, "audio/wav")
    )
    return wire.blob(6, content)


def embeddings(vectors: Iterable[bytes], labels: Iterable[Sequence[str]], header: Sequence[str]) -> bytes:
    """Labelled points; a vector is given as its little-endian single-precision numbers, `header` names the labels."""
    points = (
        wire.blob(1, b"".join(wire.text(1, part) for part in label) + (wire.blob(2, vector) if vector else b""))
        for vector, label in zip(vectors, labels, strict=True)
    )
    return wire.blob(7, b"".join(points) + b"".join(wire.text(2, name) for name in header))


def histogram(edges: Sequence[float], counts: Sequence[int]) -> bytes:
    """Counts between neighbouring edges."""
    return wire.blob(8, wire.doubles(1, counts) + wire.doubles(2, edges))


def pr_curve(counts: Sequence[Sequence[int]], precision: Sequence[float], recall: Sequence[float]) -> bytes:
    """A precision-recall curve; `counts` are true and false positives, true and false negatives per threshold."""
    return wire.blob(9, _counts(counts) + wire.doubles(5, precision) + wire.doubles(6, recall))


def meta(display_name: str) -> bytes:
    """The name under which the run is shown."""
    return wire.blob(10, wire.text(1, display_name, implicit=True))


def roc_curve(counts: Sequence[Sequence[int]], tpr: Sequence[float], fpr: Sequence[float]) -> bytes:
    """A receiver operating characteristic; `counts` as in `pr_curve`, then the rates of true and false positives."""
    return wire.blob(11, _counts(counts) + wire.doubles(5, tpr) + wire.doubles(6, fpr))


def text(content: str) -> bytes:
    """A text."""
    return wire.blob(12, wire.text(1, content, implicit=True))


def hparams(name: str, values: Mapping[str, int | float | str], metrics: Iterable[str]) -> bytes:
    """The hyperparameters of the run called `name`, and the tags of the scalars that measure it."""
    infos = (wire.blob(1, _hparam(value) + wire.text(4, key, implicit=True)) for key, value in values.items())
    measures = (wire.blob(2, wire.double(2, 0.0) + wire.text(4, metric, implicit=True)) for metric in metrics)
    return wire.blob(13, b"".join(infos) + b"".join(measures) + wire.text(3, name, implicit=True))


def _hparam(value: int | float | str) -> bytes:
    if isinstance(value, str):
        return wire.text(3, value)
    return wire.double(2, value) if isinstance(value, float) else wire.integer(1, value)


def _counts(counts: Sequence[Sequence[int]]) -> bytes:
    """Four packed lists of int64, in the fields 1 to 4."""
    return b"".join(wire.blob(field, b"".join(map(wire.varint, numbers))) for field, numbers in enumerate(counts, 1))


def packed_singles(values: Iterable[float]) -> bytes:
    """Little-endian single-precision numbers, one behind the other."""
    numbers = array("f", values)
    if struct.pack("=H", 1) != struct.pack("<H", 1):
        numbers.byteswap()
    return numbers.tobytes()
