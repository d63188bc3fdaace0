"""Loss landscapes of MindSpore: a surface of losses around a network, and the way training took over it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.values.tensor_messages import Array, Floats, mindspore_tensor


@dataclass(frozen=True)
class Path:
    """Where training was after each interval, and the loss there."""

    intervals: list[int]
    x: Floats
    y: Floats
    z: Floats


@dataclass(frozen=True)
class Landscape:
    """`z` has a row for each `y`, in it a loss for each `x`."""

    x: Floats
    y: Floats
    z: Floats
    path: Path | None
    convergence: tuple[float, float, float] | None  # the last point
    decomposition: str
    unit: str  # of the intervals: step or epoch
    step_per_epoch: int


def decode(record: Record) -> Landscape:
    """The landscape of a record; raises BadValue, Malformed."""
    if record.dialect != Dialect.MINDSPORE:
        raise BadValue("landscapes are not known in logs of this kind")
    message = record.inner(10, "landscape")
    surfaces, paths, notes, ends = (message.messages(number) for number in (1, 2, 3, 4))
    if not surfaces:
        raise BadValue("the record holds no landscape")
    x, y, z = _point(surfaces[-1])
    if x.ndim != 1 or y.ndim != 1 or z.shape != (len(y), len(x)):
        raise BadValue(f"axes of {x.size} and {y.size} points do not fit the surface {list(z.shape)}")
    return Landscape(
        x,
        y,
        z,
        _path(paths[-1]) if paths else None,
        _end(ends[-1]) if ends else None,
        notes[-1].text(1) if notes else "",
        notes[-1].text(2) if notes else "",
        notes[-1].integer(3) if notes else 0,
    )


def _point(message: MessageFields) -> tuple[Floats, Floats, Floats]:
    x, y, z = (_numbers(message, number) for number in (1, 2, 3))
    return x, y, z


def _numbers(message: MessageFields, number: int) -> Floats:
    found = message.messages(number)
    array: Array | None = mindspore_tensor(found[-1]).array if found else np.zeros(0)
    if array is None or array.dtype.kind == "c":
        raise BadValue("the landscape is not made of real numbers")
    return array.astype(np.float64)


def _path(message: MessageFields) -> Path | None:
    points = message.messages(2)
    if not points:
        return None
    x, y, z = (column.ravel() for column in _point(points[-1]))
    intervals = message.integers(1)
    if not len(x) == len(y) == len(z) == len(intervals):
        raise BadValue("the columns of the path differ in length")
    return Path(intervals, x, y, z)


def _end(message: MessageFields) -> tuple[float, float, float] | None:
    x, y, z = (column.ravel() for column in _point(message))
    return (float(x[0]), float(y[0]), float(z[0])) if len(x) and len(y) and len(z) else None
