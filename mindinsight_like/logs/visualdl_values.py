"""Values of VisualDL 2.x records as objects with the attribute names of the original messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.visualdl import Record
from mindinsight_like.logs.protobuf.wire import Malformed

_T = TypeVar("_T")


@dataclass(frozen=True)
class Image:
    encoded_image_string: bytes = b""


@dataclass(frozen=True)
class Audio:
    sample_rate: float = 0.0
    num_channels: int = 0
    length_frames: int = 0
    encoded_audio_string: bytes = b""
    content_type: str = ""


@dataclass(frozen=True)
class Embedding:
    label: list[str] = field(default_factory=list)
    vectors: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Embeddings:
    embeddings: list[Embedding] = field(default_factory=list)
    label_meta: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Histogram:
    hist: list[float] = field(default_factory=list)
    bin_edges: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class PRCurve:
    TP: list[int] = field(default_factory=list)
    FP: list[int] = field(default_factory=list)
    TN: list[int] = field(default_factory=list)
    FN: list[int] = field(default_factory=list)
    precision: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class ROCCurve:
    TP: list[int] = field(default_factory=list)
    FP: list[int] = field(default_factory=list)
    TN: list[int] = field(default_factory=list)
    FN: list[int] = field(default_factory=list)
    tpr: list[float] = field(default_factory=list)
    fpr: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class MetaData:
    display_name: str = ""


@dataclass(frozen=True)
class Text:
    encoded_text_string: str = ""


@dataclass(frozen=True)
class HParamInfo:
    """One of the three values is set; the others have the zero of their type, as in protobuf."""

    name: str = ""
    int_value: int = 0
    float_value: float = 0.0
    string_value: str = ""


@dataclass(frozen=True)
class HParam:
    name: str = ""
    hparamInfos: list[HParamInfo] = field(default_factory=list)  # noqa: N815 - the original's spelling
    metricInfos: list[HParamInfo] = field(default_factory=list)  # noqa: N815 - the original's spelling


@dataclass(frozen=True)
class TagValue:
    tag: str = ""
    value: float = 0.0


@dataclass(frozen=True)
class Value:
    """One value of a log; `id` is the step, `timestamp` is in milliseconds, and only the kind that it is of is set."""

    id: int
    tag: str
    timestamp: int
    value: float | None = None
    image: Image | None = None
    audio: Audio | None = None
    embeddings: Embeddings | None = None
    histogram: Histogram | None = None
    pr_curve: PRCurve | None = None
    meta_data: MetaData | None = None
    roc_curve: ROCCurve | None = None
    text: Text | None = None
    hparam: HParam | None = None
    tag_value: TagValue | None = None


def parse(message: bytes, timestamp: int, *, most_fields: int | None = None) -> Value:
    """The value in an encoded message that is no scalar; its time has been found already. Raises Malformed."""
    parts = MessageFields(message, most_fields=most_fields)
    return Value(
        id=parts.integer(Record.Value.id),
        tag=parts.text(Record.Value.tag),
        timestamp=timestamp,
        image=_made(parts, Record.Value.image, lambda p: Image(p.content(Record.Image.encoded_image_string))),
        audio=_made(parts, Record.Value.audio, _audio),
        embeddings=_made(parts, Record.Value.embeddings, _embeddings),
        histogram=_made(parts, Record.Value.histogram, _histogram),
        pr_curve=_made(parts, Record.Value.pr_curve, _pr_curve),
        meta_data=_made(parts, Record.Value.meta_data, lambda p: MetaData(p.text(Record.MetaData.display_name))),
        roc_curve=_made(parts, Record.Value.roc_curve, _roc_curve),
        text=_made(parts, Record.Value.text, lambda p: Text(p.text(Record.Text.encoded_text_string))),
        hparam=_made(parts, Record.Value.hparam, _hparam),
    )


def display_name(message: bytes) -> str:
    """The name for its run in an encoded value with meta data; empty when there is none or it cannot be read."""
    try:
        parts = MessageFields(message).messages(Record.Value.meta_data)[-1:]
        return "".join(part.text(Record.MetaData.display_name) for part in parts)
    except Malformed:
        return ""


def _audio(parts: MessageFields) -> Audio:
    proto = Record.Audio
    return Audio(
        parts.single(proto.sample_rate),
        parts.integer(proto.num_channels),
        parts.integer(proto.length_frames),
        parts.content(proto.encoded_audio_string),
        parts.text(proto.content_type),
    )


def _embeddings(parts: MessageFields) -> Embeddings:
    points = [
        Embedding(point.texts(Record.Embedding.label), point.singles(Record.Embedding.vectors))
        for point in parts.messages(Record.Embeddings.embeddings)
    ]
    return Embeddings(points, parts.texts(Record.Embeddings.label_meta))


def _histogram(parts: MessageFields) -> Histogram:
    return Histogram(parts.doubles(Record.Histogram.hist), parts.doubles(Record.Histogram.bin_edges))


def _pr_curve(parts: MessageFields) -> PRCurve:
    proto = Record.PRCurve
    return PRCurve(
        parts.integers(proto.TP),
        parts.integers(proto.FP),
        parts.integers(proto.TN),
        parts.integers(proto.FN),
        parts.doubles(proto.precision),
        parts.doubles(proto.recall),
    )


def _roc_curve(parts: MessageFields) -> ROCCurve:
    proto = Record.ROCCurve
    return ROCCurve(
        parts.integers(proto.TP),
        parts.integers(proto.FP),
        parts.integers(proto.TN),
        parts.integers(proto.FN),
        parts.doubles(proto.tpr),
        parts.doubles(proto.fpr),
    )


def _hparam(parts: MessageFields) -> HParam:
    proto = Record.HParam
    return HParam(
        parts.text(proto.name),
        [_info(part) for part in parts.messages(proto.hparamInfos)],
        [_info(part) for part in parts.messages(proto.metricInfos)],
    )


def _info(parts: MessageFields) -> HParamInfo:
    proto = Record.HParam.HparamInfo
    return HParamInfo(
        parts.text(proto.name),
        parts.integer(proto.int_value),
        parts.double(proto.float_value),
        parts.text(proto.string_value),
    )


def _made(parts: MessageFields, number: int, make: Callable[[MessageFields], _T]) -> _T | None:
    messages = parts.messages(number)
    return make(messages[-1]) if messages else None
