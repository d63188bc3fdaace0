"""Encode VisualDL 2.x records; they are framed by their length alone, without checksums."""

import struct
from collections.abc import Sequence

from mindinsight_like.writers import wire

_LENGTH = struct.Struct("<Q")


def frame(payload: bytes) -> bytes:
    """The record as it stands in the file."""
    return _LENGTH.pack(len(payload)) + payload


def file_name(started: float) -> str:
    """The name VisualDL gives: start in whole seconds."""
    return f"vdlrecords.{int(started):010d}.log"


def opening(display_name: str, *, wall_time: float) -> bytes:
    """The first record of every file: the name under which the run is shown."""
    name = wire.blob(10, wire.text(1, display_name, implicit=True))
    return record("meta_data_tag", name, step=0, wall_time=wall_time)


def record(tag: str, content: bytes, *, step: int, wall_time: float) -> bytes:
    """A record with one content (made by the functions below); its time is kept in milliseconds."""
    value = (
        wire.integer(1, step, implicit=True)
        + wire.text(2, tag, implicit=True)
        + wire.integer(3, int(wall_time * 1000), implicit=True)
        + content
    )
    return wire.blob(1, value)


def scalar(value: float) -> bytes:
    """A number in single precision."""
    return wire.single(4, value)


def image(png: bytes) -> bytes:
    """A picture, already encoded."""
    return wire.blob(5, wire.blob(4, png))


def histogram(edges: Sequence[float], counts: Sequence[int]) -> bytes:
    """Counts between neighbouring edges."""
    return wire.blob(8, wire.doubles(1, counts) + wire.doubles(2, edges))


def text(content: str) -> bytes:
    """A text."""
    return wire.blob(12, wire.text(1, content, implicit=True))
