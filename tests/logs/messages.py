"""Log files made by hand: messages, frames, and what a reader has to find in them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mindinsight_like.logs.framing import frame
from mindinsight_like.logs.kinds import TRACKER_DIALECTS, Dialect, Kind, series_key
from mindinsight_like.logs.whole_files import WHOLE_FILES
from mindinsight_like.writers.encoding import wire

Point = tuple[int, float, float]  # step, wall time, value
SCANNED = sorted({*Dialect} - {*WHOLE_FILES} - TRACKER_DIALECTS - {Dialect.RUN_STATE})  # by the native scanner
VALUE_FIELD = {Dialect.TENSORBOARD: 2, Dialect.MINDSPORE: 3, Dialect.VISUALDL: 4}


class Scalar(NamedTuple):
    """One scalar as a training script logs it; a wall time in whole milliseconds suits every dialect."""

    tag: str
    step: int
    wall: float
    value: float


def event(step: int, wall: float, *values: bytes) -> bytes:
    """An event of TensorBoard or MindSpore that holds encoded `Summary.Value` messages."""
    summary = b"".join(wire.blob(1, value) for value in values)
    return wire.double(1, wall) + wire.integer(2, step) + wire.blob(5, summary)


def tagged(tag: str, *fields: bytes) -> bytes:
    """A `Summary.Value` of TensorBoard or MindSpore."""
    return wire.text(1, tag) + b"".join(fields)


def metadata(plugin: str, *, content: bytes = b"", data_class: int = 0) -> bytes:
    """The metadata field of a TensorBoard value."""
    plugin_data = wire.text(1, plugin) + (wire.blob(2, content) if content else b"")
    return wire.blob(9, wire.blob(1, plugin_data) + wire.integer(4, data_class, implicit=True))


def payload(dialect: Dialect, scalar: Scalar) -> bytes:
    """The record of one scalar."""
    value = wire.single(VALUE_FIELD[dialect], scalar.value)
    if dialect == Dialect.VISUALDL:
        # Seconds as VisualDL 2.0.0 wrote them, where milliseconds would look like seconds.
        stamp = wire.integer(3, round(scalar.wall * (1000 if scalar.wall >= 10**8 else 1)), implicit=True)
        step = wire.integer(1, scalar.step, implicit=True)
        return wire.blob(1, step + wire.text(2, scalar.tag) + stamp + value)
    return event(scalar.step, scalar.wall, tagged(scalar.tag, value))


def framed(dialect: Dialect, content: bytes) -> bytes:
    """The record as it stands in the file."""
    return struct.pack("<Q", len(content)) + content if dialect == Dialect.VISUALDL else frame(content)


def records(dialect: Dialect, scalars: Iterable[Scalar]) -> list[bytes]:
    """One framed record per scalar."""
    return [framed(dialect, payload(dialect, scalar)) for scalar in scalars]


def expected_points(scalars: Sequence[Scalar]) -> dict[bytes, list[Point]]:
    """The points of every series by key."""
    series: dict[bytes, list[Point]] = {}
    for scalar in scalars:
        points = series.setdefault(series_key(Kind.SCALAR, scalar.tag), [])
        points.append((scalar.step, scalar.wall, scalar.value))
    return series
