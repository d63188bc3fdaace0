"""Decode MindSpore's loss landscapes: a surface of losses, and the path of the training over it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.mindspore_summary import LossLandscape, Summary
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.values.tensors.tensor_messages import Array, Floats, mindspore_tensor


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
        raise BadValue("landscapes are not supported in this log format")
    message = record.inner(Summary.Value.loss_landscape, "landscape")
    surfaces, paths = message.messages(LossLandscape.landscape), message.messages(LossLandscape.loss_path)
    notes, ends = message.messages(LossLandscape.metadata), message.messages(LossLandscape.convergence_point)
    if not surfaces:
        raise BadValue("the record contains no landscape")
    x, y, z = _point(surfaces[-1])
    if x.ndim != 1 or y.ndim != 1 or z.shape != (len(y), len(x)):
        raise BadValue(f"axes of {x.size} and {y.size} points do not fit the surface {list(z.shape)}")
    return Landscape(
        x,
        y,
        z,
        _path(paths[-1]) if paths else None,
        _end(ends[-1]) if ends else None,
        notes[-1].text(LossLandscape.Metadata.decomposition) if notes else "",
        notes[-1].text(LossLandscape.Metadata.unit) if notes else "",
        notes[-1].integer(LossLandscape.Metadata.step_per_epoch) if notes else 0,
    )


def _point(message: MessageFields) -> tuple[Floats, Floats, Floats]:
    proto = LossLandscape.Point
    x, y, z = (_numbers(message, number) for number in (proto.x, proto.y, proto.z))
    return x, y, z


def _numbers(message: MessageFields, number: int) -> Floats:
    tensors = message.messages(number)
    array: Array | None = mindspore_tensor(tensors[-1]).array if tensors else np.zeros(0)
    if array is None or array.dtype.kind == "c":
        raise BadValue("the landscape contains values that are not real numbers")
    return array.astype(np.float64)


def _path(message: MessageFields) -> Path | None:
    points = message.messages(LossLandscape.LossPath.points)
    if not points:
        return None
    x, y, z = (column.ravel() for column in _point(points[-1]))
    intervals = message.integers(LossLandscape.LossPath.intervals)
    if not len(x) == len(y) == len(z) == len(intervals):
        raise BadValue("the columns of the path differ in length")
    return Path(intervals, x, y, z)


def _end(message: MessageFields) -> tuple[float, float, float] | None:
    x, y, z = (column.ravel() for column in _point(message))
    return (float(x[0]), float(y[0]), float(z[0])) if len(x) and len(y) and len(z) else None
