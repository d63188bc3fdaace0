"""Encode MindSpore summary events; records are framed with checksums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mindinsight_like.logs.framing import frame
from mindinsight_like.logs.protobuf.schemas.mindspore_graph import TensorProto
from mindinsight_like.logs.protobuf.schemas.mindspore_summary import Event, LossLandscape, Summary
from mindinsight_like.writers.encoding import wire
from mindinsight_like.writers.encoding.messages import message_bytes
from mindinsight_like.writers.mindspore.mindspore_graph import DATA_TYPES

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "event",
    "file_name",
    "frame",
    "graph_event",
    "histogram",
    "image",
    "landscape",
    "loss_landscape",
    "opening",
    "scalar",
    "tensor",
]

_LANDSCAPE_KEYS = {"x", "y", "z", "path", "intervals", "convergence_point", "decomposition", "unit", "step_per_epoch"}


def file_name(started: float, *, host: str, rank: int = 0, prefix: str = "events", suffix: str = "_MS") -> str:
    """The name MindSpore 2.x gives: start in whole seconds, rank, host."""
    return f"{prefix}.out.events.summary.{int(started)}.{rank}.{host}{suffix}"


def opening(wall_time: float) -> bytes:
    """The first event of every file."""
    return wire.double(Event.wall_time, wall_time) + wire.text(Event.version, "MindSpore.Event:1")


def event(values: Sequence[bytes], *, step: int, wall_time: float) -> bytes:
    """An event that holds the values (made by the functions below) of one step; MindSpore puts all tags into one."""
    summary = b"".join(wire.blob(Summary.value, value) for value in values)
    moment = wire.double(Event.wall_time, wall_time) + wire.integer(Event.step, step)
    return moment + wire.blob(Event.summary, summary)


def graph_event(graph: bytes, *, wall_time: float) -> bytes:
    """An event that holds a graph (made by `mindspore_graph.graph`); it belongs to no step."""
    return wire.double(Event.wall_time, wall_time) + wire.blob(Event.graph_def, graph)


def scalar(tag: str, value: float) -> bytes:
    """A number in single precision."""
    return wire.text(Summary.Value.tag, tag) + wire.single(Summary.Value.scalar_value, value)


def image(tag: str, png: bytes, *, width: int, height: int, channels: int = 3) -> bytes:
    """A picture, already encoded."""
    content = (
        wire.integer(Summary.Image.height, height)
        + wire.integer(Summary.Image.width, width)
        + wire.integer(Summary.Image.colorspace, channels)
        + wire.blob(Summary.Image.encoded_image, png)
    )
    return wire.text(Summary.Value.tag, tag) + wire.blob(Summary.Value.image, content)


def tensor(tag: str, array: npt.NDArray[Any]) -> bytes:
    """An array in single precision, as MindSpore keeps every type; the type itself is noted beside it."""
    return wire.text(Summary.Value.tag, tag) + wire.blob(Summary.Value.tensor, _tensor(array))


def histogram(
    tag: str,
    edges: Sequence[float],
    counts: Sequence[int],
    *,
    total: float,
    least: float | None = None,
    greatest: float | None = None,
    not_finite: tuple[int, int, int] = (0, 0, 0),
) -> bytes:
    """Counts between neighbouring edges of finite values whose sum is `total`.

    `least` and `greatest` are the outermost values where these are not the outermost edges; `not_finite` counts NaN,
    positive and negative infinities. Without edges nothing was finite.
    """
    proto = Summary.Histogram
    content = b"".join(
        wire.blob(
            proto.buckets,
            wire.double(proto.Bucket.left, left)
            + wire.double(proto.Bucket.width, right - left)
            + wire.integer(proto.Bucket.count, count),
        )
        for left, right, count in zip(edges[:-1], edges[1:], counts, strict=True)
    )
    for field, count in zip((proto.nan_count, proto.pos_inf_count, proto.neg_inf_count), not_finite, strict=True):
        content += wire.integer(field, count)
    if len(edges):
        content += (
            wire.double(proto.max, edges[-1] if greatest is None else greatest)
            + wire.double(proto.min, edges[0] if least is None else least)
            + wire.double(proto.sum, total)
        )
    content += wire.integer(proto.count, sum(counts) + sum(not_finite))
    return wire.text(Summary.Value.tag, tag) + wire.blob(Summary.Value.histogram, content)


def landscape(tag: str, content: bytes) -> bytes:
    """The losses around a way of training, made by `loss_landscape`."""
    return wire.text(Summary.Value.tag, tag) + wire.blob(Summary.Value.loss_landscape, content)


def loss_landscape(value: object) -> bytes:
    """The message LossLandscape of such a message, its bytes, or a mapping.

    The mapping holds arrays `x` and `y` (the axes) and `z` (the losses, one row per y). It may hold `path` (x, y and z
    of the training's points) with `intervals` (their steps or epochs), `convergence_point` (x, y, z), and the texts
    `decomposition` and `unit` ("step" or "epoch") with the number `step_per_epoch`.
    """
    from mindinsight_like.writers.encoding.values import to_array

    if (ready := message_bytes(value, "LossLandscape")) is not None:
        return ready
    if not isinstance(value, Mapping):
        raise TypeError(f"landscape: expected a mapping with x, y and z, not {type(value).__name__}")
    if unknown := set(value) - _LANDSCAPE_KEYS:
        raise ValueError(f"landscape: unknown keys {sorted(unknown)}; expected some of {sorted(_LANDSCAPE_KEYS)}")
    x, y, z = (to_array(value[axis]) for axis in "xyz")
    if z.shape != (y.size, x.size):
        raise ValueError(f"landscape: z must have {y.size} rows (y) of {x.size} (x), not the shape {z.shape}")
    path = [to_array(axis) for axis in value["path"]] if "path" in value else []
    proto = LossLandscape
    loss_path = b"".join(
        wire.integer(proto.LossPath.intervals, int(interval)) for interval in value.get("intervals", ())
    )
    if path:
        loss_path += wire.blob(proto.LossPath.points, _point(*path))
    metadata = (
        wire.text(proto.Metadata.decomposition, str(value.get("decomposition", "PCA")))
        + wire.text(proto.Metadata.unit, str(value.get("unit", "step")))
        + wire.integer(proto.Metadata.step_per_epoch, int(value.get("step_per_epoch", 0)))
    )
    content = wire.blob(proto.landscape, _point(x, y, z))
    if loss_path:
        content += wire.blob(proto.loss_path, loss_path)
    content += wire.blob(proto.metadata, metadata)
    if "convergence_point" in value:
        content += wire.blob(
            proto.convergence_point, _point(*(to_array([axis]) for axis in value["convergence_point"]))
        )
    return content


def _point(x: npt.NDArray[Any], y: npt.NDArray[Any], z: npt.NDArray[Any]) -> bytes:
    proto = LossLandscape.Point
    return b"".join(wire.blob(field, _tensor(axis)) for field, axis in ((proto.x, x), (proto.y, y), (proto.z, z)))


def _tensor(array: npt.NDArray[Any]) -> bytes:
    dimensions = b"".join(wire.integer(TensorProto.dims, size) for size in array.shape)
    numbers = array.astype("<f4", order="C").tobytes()
    kind = DATA_TYPES.get(array.dtype.name, 0)
    content = dimensions + wire.integer(TensorProto.data_type, kind)
    return content + wire.blob(TensorProto.float_data, numbers) if numbers else content
