"""Encode MindSpore summary events; records are framed with checksums."""

from collections.abc import Sequence

from mindinsight_like.logs.framing import frame
from mindinsight_like.writers import wire

__all__ = ["event", "file_name", "frame", "histogram", "image", "opening", "scalar"]


def file_name(started: float, *, host: str, rank: int = 0) -> str:
    """The name MindSpore 2.x gives: start in whole seconds, rank, host."""
    return f"events.out.events.summary.{int(started)}.{rank}.{host}_MS"


def opening(wall_time: float) -> bytes:
    """The first event of every file."""
    return wire.double(1, wall_time) + wire.text(3, "MindSpore.Event:1")


def event(values: Sequence[bytes], *, step: int, wall_time: float) -> bytes:
    """An event that holds the values (made by the functions below) of one step; MindSpore puts all tags into one."""
    summary = b"".join(wire.blob(1, value) for value in values)
    return wire.double(1, wall_time) + wire.integer(2, step) + wire.blob(5, summary)


def scalar(tag: str, value: float) -> bytes:
    """A number in single precision."""
    return wire.text(1, tag) + wire.single(3, value)


def image(tag: str, png: bytes, *, width: int, height: int, channels: int = 3) -> bytes:
    """A picture, already encoded."""
    content = wire.integer(1, height) + wire.integer(2, width) + wire.integer(3, channels) + wire.blob(4, png)
    return wire.text(1, tag) + wire.blob(4, content)


def histogram(tag: str, edges: Sequence[float], counts: Sequence[int], *, total: float) -> bytes:
    """Counts between neighbouring edges of finite values whose sum is `total`."""
    buckets = (
        wire.blob(1, wire.double(1, left) + wire.double(2, right - left) + wire.integer(3, count))
        for left, right, count in zip(edges[:-1], edges[1:], counts, strict=True)
    )
    content = (
        b"".join(buckets)
        + b"".join(wire.integer(field, 0) for field in (2, 3, 4))  # none is NaN or infinite
        + wire.double(5, edges[-1])
        + wire.double(6, edges[0])
        + wire.double(7, total)
        + wire.integer(8, sum(counts))
    )
    return wire.text(1, tag) + wire.blob(9, content)
