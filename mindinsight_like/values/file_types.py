"""Detect file types by their first bytes: the few that are safe to serve, and the dimensions of images and audio."""

from __future__ import annotations

import struct
from typing import NamedTuple

PNG, JPEG, GIF, WAV = "image/png", "image/jpeg", "image/gif", "audio/wav"
_PNG_START = b"\x89PNG\r\n\x1a\n"
_NO_LENGTH = frozenset([0x01, *range(0xD0, 0xDA)])  # JPEG markers that stand alone
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


class Size(NamedTuple):
    width: int
    height: int


class SoundFormat(NamedTuple):
    sample_rate: int
    channels: int
    frames: int


def content_type(data: bytes) -> str | None:
    """The type of a PNG, JPEG, GIF or WAV file, None for all others."""
    if data.startswith(_PNG_START):
        return PNG
    if data.startswith(b"\xff\xd8\xff"):
        return JPEG
    if data.startswith((b"GIF87a", b"GIF89a")):
        return GIF
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        return WAV
    return None


def picture_size(data: bytes) -> Size | None:
    """The size of a picture from its first bytes; None when they do not tell."""
    kind = content_type(data)
    if kind == PNG and data[12:16] == b"IHDR" and len(data) >= 24:
        return Size(*struct.unpack(">II", data[16:24]))
    if kind == GIF and len(data) >= 10:
        return Size(*struct.unpack("<HH", data[6:10]))
    return _jpeg_size(data) if kind == JPEG else None


def _jpeg_size(data: bytes) -> Size | None:
    position = 2
    while position + 4 <= len(data):
        if data[position] != 0xFF:
            return None
        marker = data[position + 1]
        if marker == 0xFF:  # filling
            position += 1
        elif marker in _NO_LENGTH:
            position += 2
        elif marker in _FRAMES:
            if position + 9 > len(data):
                return None
            height, width = struct.unpack(">HH", data[position + 5 : position + 9])
            return Size(width, height)
        else:
            position += 2 + max(2, int.from_bytes(data[position + 2 : position + 4], "big"))
    return None


def sound_format(data: bytes, length: int) -> SoundFormat | None:
    """What the first bytes of a WAV file of that length say; None when they do not tell."""
    if content_type(data) != WAV:
        return None
    position, rate, channels, frame_bytes = 12, 0, 0, 0
    while position + 8 <= len(data):
        name, size = data[position : position + 4], int.from_bytes(data[position + 4 : position + 8], "little")
        position += 8
        if name == b"fmt " and position + 16 <= len(data):
            _, channels, rate, _, frame_bytes = struct.unpack("<HHIIH", data[position : position + 14])
        elif name == b"data":
            # Writers that stream leave the size open, as zero or as large as can be.
            present = max(0, length - position)
            return SoundFormat(rate, channels, min(size or present, present) // frame_bytes) if frame_bytes else None
        position += size + size % 2
    return None
