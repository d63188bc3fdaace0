"""Turn arrays into pictures: rows, columns, channels in bytes, and from there PNG files."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]
    Pixels = npt.NDArray[np.uint8]  # rows, columns, channels

GRID_COLUMNS = 8
_COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # of PNG, by the number of channels
_BOX_COLOR, _BOX_WIDTH = "red", 2


def to_pixels(array: Array, dataformats: str = "HWC") -> Pixels:
    """The picture in memory of its own; one channel becomes three, several pictures (N) are laid out in a grid.

    `dataformats` names the dimensions: H and W, with C and N or without, in any order. For values see `to_bytes`.
    Raises ValueError when the shape does not fit.
    """
    import numpy as np

    pixels = to_bytes(to_hwc(array, dataformats))
    if pixels.shape[2] == 1:
        pixels = np.repeat(pixels, 3, axis=2)
    return np.array(pixels, order="C") if np.shares_memory(pixels, array) else np.ascontiguousarray(pixels)


def to_hwc(array: Array, dataformats: str) -> Array:
    """The array as rows, columns, channels, its values unchanged; several pictures (N) are laid out in a grid."""
    order = dataformats.upper()
    if sorted(order) not in (sorted("HW"), sorted("HWC"), sorted("NHW"), sorted("NHWC")):
        raise ValueError(f"dataformats must name H and W, with C and N or without, each once; got {dataformats!r}")
    if array.ndim != len(order):
        raise ValueError(
            f"dataformats={dataformats!r} stands for {len(order)} dimensions, but the array has the shape {array.shape}"
        )
    if not array.size:
        raise ValueError(f"an image needs at least one pixel; got the shape {array.shape}")
    if "C" not in order:
        array, order = array[..., None], order + "C"
    if array.shape[order.index("C")] not in _COLOR_TYPES:
        raise ValueError(
            f"dataformats={dataformats!r} gives {array.shape[order.index('C')]} channels for the shape "
            f"{array.shape}, where 1 (gray), 2 (gray and alpha), 3 (RGB) or 4 (RGBA) are possible"
        )
    if "N" not in order:
        return array.transpose([order.index(axis) for axis in "HWC"])
    return grid(array.transpose([order.index(axis) for axis in "NHWC"]))


def to_bytes(array: Array) -> Pixels:
    """Values from 0 to 255, by type: uint8 as they are; floats from 0 to 1, clipped there, NaN being 0; booleans.

    Other integers are clipped to 0..255, unless they are all 0 or 1: then they are taken as booleans.
    """
    import numpy as np

    kind = array.dtype.kind
    if array.dtype == np.uint8:
        return array
    if kind == "f":
        scaled = np.clip(array.astype(np.float32) * np.float32(255), 0, 255)
        return np.where(np.isnan(scaled), np.float32(0), scaled).astype(np.uint8)
    if kind == "b" or (kind in "iu" and array.min() >= 0 and array.max() <= 1):
        return array.astype(np.uint8) * np.uint8(255)
    if kind in "iu":
        return np.clip(array, 0, 255).astype(np.uint8)
    raise TypeError(f"an image must be integers, floats or booleans, not {array.dtype}")


def grid(pictures: Array, *, columns: int = GRID_COLUMNS) -> Array:
    """Pictures (number, rows, columns, channels) side by side in one; free places stay 0."""
    import numpy as np

    count, height, width, channels = pictures.shape
    columns = min(count, columns)
    rows = -(-count // columns)
    places = np.zeros((rows * columns, height, width, channels), pictures.dtype)
    places[:count] = pictures
    tiled = places.reshape(rows, columns, height, width, channels).transpose(0, 2, 1, 3, 4)
    return tiled.reshape(rows * height, columns * width, channels)


def png(pixels: Pixels) -> bytes:
    """The picture (rows, columns, 1 to 4 channels) as a PNG file, without loss."""
    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOR_TYPES[channels], 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(_filtered(pixels), 6))
        + _chunk(b"IEND", b"")
    )


def with_boxes(pixels: Pixels, boxes: Array, labels: Sequence[str] | None = None) -> Pixels:
    """The picture with red frames drawn at boxes of (left, top, right, bottom), each with its label if there is one."""
    import numpy as np
    from PIL import Image, ImageDraw, ImageFont

    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise ValueError(f"boxes are rows of left, top, right, bottom; got the shape {boxes.shape}")
    if labels is not None and len(labels) != len(boxes):
        raise ValueError(f"{len(labels)} labels for {len(boxes)} boxes")
    picture = Image.fromarray(pixels)
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default()
    for number, (left, top, right, bottom) in enumerate(boxes.tolist()):
        outline = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
        draw.line(outline, width=_BOX_WIDTH, fill=_BOX_COLOR)
        if labels is not None and labels[number]:
            text = str(labels[number])
            x0, y0, x1, y1 = font.getbbox(text)
            width, height, margin = x1 - x0, y1 - y0, 1
            draw.rectangle([(left, bottom - height - 2 * margin), (left + width, bottom)], fill=_BOX_COLOR)
            draw.text((left + margin, bottom - height - margin - y0), text, fill="black", font=font)
    return np.asarray(picture)


def resized(pixels: Pixels, scale: float) -> Pixels:
    """The picture with its sides multiplied."""
    import numpy as np
    from PIL import Image

    height, width = (max(1, int(side * scale)) for side in pixels.shape[:2])
    return np.asarray(Image.fromarray(pixels).resize((width, height), Image.Resampling.LANCZOS))


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _filtered(pixels: Pixels) -> bytes:
    """Each row as differences from the pixel to the left, or the row above, or neither: whichever is smallest."""
    import numpy as np

    height, width, channels = pixels.shape
    rows = pixels.reshape(height, width * channels)
    left = rows.copy()
    left[:, channels:] -= rows[:, :-channels]
    above = rows.copy()
    above[1:] -= rows[:-1]
    choices = np.stack((rows, left, above))
    sizes = np.minimum(choices, -choices).sum(axis=2, dtype=np.int64)
    chosen = sizes.argmin(axis=0)
    lines = np.empty((height, 1 + width * channels), np.uint8)
    lines[:, 0] = chosen
    lines[:, 1:] = choices[chosen, np.arange(height)]
    return lines.tobytes()
