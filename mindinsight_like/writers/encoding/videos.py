"""Encode arrays as animated GIFs."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from mindinsight_like.writers.encoding.images import to_bytes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]
    Frames = npt.NDArray[np.uint8]  # frames, rows, columns, channels


def to_frames(array: Array, dataformats: str = "NTCHW") -> Frames:
    """The video in memory of its own; several (N) are laid out side by side, in twos, fours, eights and so on.

    `dataformats` names the dimensions, with N or without, in any order. Values are those of pictures.
    """
    import numpy as np

    order = dataformats.upper()
    if sorted(order) not in (sorted("TCHW"), sorted("NTCHW")):
        raise ValueError(f"dataformats must name T, C, H and W, with N or without, each once; got {dataformats!r}")
    if array.ndim != len(order):
        raise ValueError(
            f"dataformats={dataformats!r} stands for {len(order)} dimensions, but the array has the shape {array.shape}"
        )
    if not array.size or array.shape[order.index("C")] not in (1, 3, 4):
        raise ValueError(f"a video needs a frame of at least one pixel with 1, 3 or 4 channels; got {array.shape}")
    if "N" not in order:
        array, order = array[None], "N" + order
    videos = to_bytes(array.transpose([order.index(axis) for axis in "NTHWC"]))
    count, frames, height, width, channels = videos.shape
    places = 1 << (count - 1).bit_length()
    rows = 1 << (count.bit_length() - 1) // 2
    filled = np.zeros((places, frames, height, width, channels), np.uint8)
    filled[:count] = videos
    tiled = filled.reshape(rows, places // rows, frames, height, width, channels).transpose(2, 0, 3, 1, 4, 5)
    return np.ascontiguousarray(tiled.reshape(frames, rows * height, places // rows * width, channels))


def gif(frames: Frames, *, fps: float) -> bytes:
    """Frames (number, rows, columns, 1, 3 or 4 channels) as an animation without end."""
    from PIL import Image

    pictures = [Image.fromarray(frame[:, :, 0] if frame.shape[2] == 1 else frame[:, :, :3]) for frame in frames]
    file = io.BytesIO()
    duration = max(10, round(1000 / fps))  # in milliseconds; GIF counts hundredths of a second
    pictures[0].save(file, format="GIF", save_all=True, append_images=pictures[1:], duration=duration, loop=0)
    return file.getvalue()
