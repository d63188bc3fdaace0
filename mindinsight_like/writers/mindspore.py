"""Encode MindSpore summary events; records are framed with checksums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mindinsight_like.logs.framing import frame
from mindinsight_like.writers import wire
from mindinsight_like.writers.messages import message_bytes
from mindinsight_like.writers.mindspore_graph import DATA_TYPES

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
    return wire.double(1, wall_time) + wire.text(3, "MindSpore.Event:1")


def event(values: Sequence[bytes], *, step: int, wall_time: float) -> bytes:
    """An event that holds the values (made by the functions below) of one step; MindSpore puts all tags into one."""
    summary = b"".join(wire.blob(1, value) for value in values)
    return wire.double(1, wall_time) + wire.integer(2, step) + wire.blob(5, summary)


def graph_event(graph: bytes, *, wall_time: float) -> bytes:
    """An event that holds a graph (made by `mindspore_graph.graph`); it belongs to no step."""
    return wire.double(1, wall_time) + wire.blob(4, graph)


def scalar(tag: str, value: float) -> bytes:
    """A number in single precision."""
    return wire.text(1, tag) + wire.single(3, value)


def image(tag: str, png: bytes, *, width: int, height: int, channels: int = 3) -> bytes:
    """A picture, already encoded."""
    content = wire.integer(1, height) + wire.integer(2, width) + wire.integer(3, channels) + wire.blob(4, png)
    return wire.text(1, tag) + wire.blob(4, content)


def tensor(tag: str, array: npt.NDArray[Any]) -> bytes:
    """An array in single precision, as MindSpore keeps every type; the type itself is noted beside it."""
    return wire.text(1, tag) + wire.blob(8, _tensor(array))


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
    buckets = (
        wire.blob(1, wire.double(1, left) + wire.double(2, right - left) + wire.integer(3, count))
        for left, right, count in zip(edges[:-1], edges[1:], counts, strict=True)
    )
    content = b"".join(buckets) + b"".join(wire.integer(2 + place, count) for place, count in enumerate(not_finite))
    if len(edges):
        content += (
            wire.double(5, edges[-1] if greatest is None else greatest)
            + wire.double(6, edges[0] if least is None else least)
            + wire.double(7, total)
        )
    content += wire.integer(8, sum(counts) + sum(not_finite))
    return wire.text(1, tag) + wire.blob(9, content)


def landscape(tag: str, content: bytes) -> bytes:
    """The losses around a way of training, made by `loss_landscape`."""
    return wire.text(1, tag) + wire.blob(10, content)


def loss_landscape(value: object) -> bytes:
    """The message LossLandscape of such a message, its bytes, or a mapping.

    The mapping holds arrays `x` and `y` (the axes) and `z` (the losses, one row per y). It may hold `path` (x, y and z
    of the training's points) with `intervals` (their steps or epochs), `convergence_point` (x, y, z), and the texts
    `decomposition` and `unit` ("step" or "epoch") with the number `step_per_epoch`.
    """
    from mindinsight_like.writers.values import to_array

    if (ready := message_bytes(value, "LossLandscape")) is not None:
        return ready
    if not isinstance(value, Mapping):
        raise TypeError(f"landscape: expected a mapping with x, y and z, not {type(value).__name__}")
    if unknown := set(value) - _LANDSCAPE_KEYS:
        raise ValueError(f"landscape: unknown keys {sorted(unknown)}; known are {sorted(_LANDSCAPE_KEYS)}")
    x, y, z = (to_array(value[axis]) for axis in "xyz")
    if z.shape != (y.size, x.size):
        raise ValueError(f"landscape: z must have {y.size} rows (y) of {x.size} (x), not the shape {z.shape}")
    path = [to_array(axis) for axis in value["path"]] if "path" in value else []
    loss_path = b"".join(wire.integer(1, int(interval)) for interval in value.get("intervals", ()))
    if path:
        loss_path += wire.blob(2, _point(*path))
    metadata = (
        wire.text(1, str(value.get("decomposition", "PCA")))
        + wire.text(2, str(value.get("unit", "step")))
        + wire.integer(3, int(value.get("step_per_epoch", 0)))
    )
    content = wire.blob(1, _point(x, y, z)) + (wire.blob(2, loss_path) if loss_path else b"") + wire.blob(3, metadata)
    if "convergence_point" in value:
        content += wire.blob(4, _point(*(to_array([axis]) for axis in value["convergence_point"])))
    return content


def _point(x: npt.NDArray[Any], y: npt.NDArray[Any], z: npt.NDArray[Any]) -> bytes:
    return b"".join(wire.blob(field, _tensor(axis)) for field, axis in ((1, x), (2, y), (3, z)))


def _tensor(array: npt.NDArray[Any]) -> bytes:
    dimensions = b"".join(wire.integer(1, size) for size in array.shape)
    numbers = array.astype("<f4", order="C").tobytes()
    kind = DATA_TYPES.get(array.dtype.name, 0)
    return dimensions + wire.integer(2, kind) + (wire.blob(3, numbers) if numbers else b"")
