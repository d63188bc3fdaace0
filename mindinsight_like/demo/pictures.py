"""Encode pictures as PNG with nothing but the standard library."""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray


def png(pixels: NDArray[np.uint8]) -> bytes:
    """The picture whose pixels are given as rows of red, green, blue."""
    height, width, _ = pixels.shape
    lines = np.hstack([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)])  # 0: the line is not filtered
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            _chunk(b"IDAT", zlib.compress(lines.tobytes(), 6)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
