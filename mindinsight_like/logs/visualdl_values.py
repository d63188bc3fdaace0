"""Values of VisualDL 2.x records as objects with the attribute names of the original messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from mindinsight_like.logs.message_fields import MessageFields

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
        id=parts.integer(1),
        tag=parts.text(2),
        timestamp=timestamp,
        image=_made(parts, 5, lambda p: Image(p.content(4))),
        audio=_made(parts, 6, lambda p: Audio(p.single(1), p.integer(2), p.integer(3), p.content(4), p.text(5))),
        embeddings=_made(parts, 7, _embeddings),
        histogram=_made(parts, 8, lambda p: Histogram(p.doubles(1), p.doubles(2))),
        pr_curve=_made(parts, 9, lambda p: PRCurve(*_counts(p), p.doubles(5), p.doubles(6))),
        meta_data=_made(parts, 10, lambda p: MetaData(p.text(1))),
        roc_curve=_made(parts, 11, lambda p: ROCCurve(*_counts(p), p.doubles(5), p.doubles(6))),
        text=_made(parts, 12, lambda p: Text(p.text(1))),
        hparam=_made(parts, 13, _hparam),
    )


def _counts(parts: MessageFields) -> tuple[list[int], list[int], list[int], list[int]]:
    return parts.integers(1), parts.integers(2), parts.integers(3), parts.integers(4)


def _embeddings(parts: MessageFields) -> Embeddings:
    return Embeddings([Embedding(point.texts(1), point.singles(2)) for point in parts.messages(1)], parts.texts(2))


def _hparam(parts: MessageFields) -> HParam:
    return HParam(parts.text(3), *([_info(part) for part in parts.messages(number)] for number in (1, 2)))


def _info(parts: MessageFields) -> HParamInfo:
    return HParamInfo(parts.text(4), parts.integer(1), parts.double(2), parts.text(3))


def _made(parts: MessageFields, number: int, make: Callable[[MessageFields], _T]) -> _T | None:
    found = parts.messages(number)
    return make(found[-1]) if found else None
