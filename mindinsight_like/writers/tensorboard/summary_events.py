"""Build TensorBoard events from checked arguments, in the background thread of `SummaryWriter`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mindinsight_like.logs.protobuf.schemas.tensorboard import PrCurvePluginData
from mindinsight_like.writers.encoding import tensorboard, wire

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from mindinsight_like.writers.encoding.meshes import Part

    Array = npt.NDArray[Any]
    Pixels = npt.NDArray[np.uint8]


def event(values: list[bytes], step: int, wall_time: float) -> bytes:
    """An event with values that are encoded already."""
    return tensorboard.event(values, step=step, wall_time=wall_time)


def tensor(tag: str, values: Array, step: int, wall_time: float) -> bytes:
    """An array as it is."""
    return event([tensorboard.tensor(tag, values, plugin="tensor")], step, wall_time)


def raw_histogram(
    tag: str,
    statistics: tuple[float, float, float, float, float],
    limits: list[float],
    counts: list[float],
    step: int,
    wall_time: float,
) -> bytes:
    """A histogram; see `tensorboard.raw_histogram`."""
    return event([tensorboard.raw_histogram(tag, statistics, limits=limits, counts=counts)], step, wall_time)


def pr_curve(tag: str, table: Array, step: int, wall_time: float) -> bytes:
    """Counts, precision and recall: six rows with a column for each threshold."""
    settings = wire.integer(PrCurvePluginData.num_thresholds, table.shape[1])
    return event([tensorboard.tensor(tag, table, plugin="pr_curves", settings=settings)], step, wall_time)


def image(tag: str, pixels: Pixels, step: int, wall_time: float) -> bytes:
    """A picture of rows, columns and channels."""
    from mindinsight_like.writers.encoding.images import png

    height, width, channels = pixels.shape
    value = tensorboard.image(tag, png(pixels), width=width, height=height, channels=channels)
    return event([value], step, wall_time)


def video(tag: str, frames: Pixels, fps: float, step: int, wall_time: float) -> bytes:
    """An animated picture of frames, rows, columns and channels."""
    from mindinsight_like.writers.encoding.videos import gif

    _, height, width, channels = frames.shape
    value = tensorboard.image(tag, gif(frames, fps=fps), width=width, height=height, channels=channels)
    return event([value], step, wall_time)


def audio(tag: str, samples: Array, sample_rate: int, step: int, wall_time: float) -> bytes:
    """A sound of frames and channels."""
    from mindinsight_like.writers.encoding.audio import wav

    return event([tensorboard.audio(tag, wav(samples, sample_rate=sample_rate))], step, wall_time)


def text(tag: str, text: str, step: int, wall_time: float) -> bytes:
    """A text."""
    return event([tensorboard.text(tag, text)], step, wall_time)


def mesh(tag: str, parts: list[Part], config: dict[str, Any], step: int, wall_time: float) -> bytes:
    """The parts of meshes."""
    from mindinsight_like.writers.encoding.meshes import mesh

    return event(mesh(tag, parts, config), step, wall_time)


def graph(definition: bytes, wall_time: float) -> bytes:
    """A graph; it belongs to no step."""
    return tensorboard.graph(definition, wall_time=wall_time)


def run_metadata(tag: str, metadata: bytes, wall_time: float) -> bytes:
    """What goes with a graph."""
    return tensorboard.run_metadata(tag, metadata, wall_time=wall_time)
