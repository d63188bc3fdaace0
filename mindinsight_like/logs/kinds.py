"""Kinds of data and log dialects, with the byte keys that identify a series."""

from enum import IntEnum
from typing import NamedTuple


class Kind(IntEnum):
    """Kinds of logged data; the numbers are stored in the index, so they never change."""

    SCALAR = 0
    IMAGE = 1
    HISTOGRAM = 2
    TEXT = 3
    AUDIO = 4
    VIDEO = 5
    TENSOR = 6
    GRAPH = 7
    EMBEDDING = 8
    PR_CURVE = 9
    ROC_CURVE = 10
    MESH = 11
    LANDSCAPE = 12
    HPARAMS = 13
    CUSTOM_SCALARS = 14
    LINEAGE = 15
    RUN_METADATA = 16
    META = 17
    SESSION = 18
    EXPLAIN = 19
    PROFILE = 20


class Dialect(IntEnum):
    """Ways of writing a log file; the numbers are stored in the index."""

    TENSORBOARD = 0
    MINDSPORE = 1
    MINDSPORE_LINEAGE = 2
    VISUALDL = 3
    VISUALDL_LEGACY = 4
    # Files that are one record as a whole, see `whole_files`.
    MINDSPORE_MODEL = 5
    TENSORFLOW_MODEL = 6
    VISUALDL_GRAPH = 7
    PADDLE_PROGRAM = 8
    PADDLE_PIR = 9
    ONNX = 10
    PROJECTOR_CONFIG = 11
    LINEAGE_RECORD = 12
    PROFILE = 13
    RUN_STATE = 14  # no log: what a writer says of its run


class SeriesName(NamedTuple):
    """A series as people know it; `sub` is the key inside a VisualDL `add_scalars` group, otherwise empty."""

    kind: Kind
    tag: str
    sub: str


def series_key(kind: int, tag: str, sub: str = "") -> bytes:
    """The bytes that identify a series within one log file: kind, tag and, after a zero byte, the sub-key."""
    key = bytes([kind]) + tag.encode(errors="replace")
    return key + b"\0" + sub.encode(errors="replace") if sub else key


def parse_key(key: bytes) -> SeriesName:
    """The reverse of `series_key`; bytes that are not UTF-8 become replacement characters."""
    tag, _, sub = key[1:].partition(b"\0")
    return SeriesName(Kind(key[0]), tag.decode(errors="replace"), sub.decode(errors="replace"))
