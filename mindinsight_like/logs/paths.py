"""Paths of log files below the base dir: names as text, opening them, detecting replaced files.

Names that are not UTF-8 reach Python with a lone surrogate for each strange byte, which no database takes; they trade
places with characters of a private use area. Should a name have such characters itself, their bytes become strange.
"""

import errno
import hashlib
import os
from collections.abc import Iterator
from typing import Protocol

from mindinsight_like.logs.checksums import crc32c, crc32c_of_zeros

_PRIVATE = {0xF780 + byte: 0xDC80 + byte for byte in range(128)}
_SURROGATES: dict[int, int | str] = {surrogate: private for private, surrogate in _PRIVATE.items()}
_SURROGATES |= {private: "".join(chr(0xF700 + byte) for byte in chr(private).encode()) for private in _PRIVATE}
_MARK_BYTES = 64
_BLOCK = 1 << 20


def to_text(path: str) -> str:
    """A path's name as text that can be stored and shown."""
    return path if path.isascii() else path.translate(_SURROGATES)


def to_path(text: str) -> str:
    """A path that leads to the same file as the one `to_text` was given."""
    return text if text.isascii() else text.translate(_PRIVATE)


def open_log(path: str) -> int:
    """A descriptor to read from; raises OSError."""
    # Not blocking: a pipe under the name of a log must not hold up the rest.
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)


def lies_inside(base_dir: str, handle: int) -> bool:
    """Whether what was opened lies inside the base dir, wherever links have led since it was found."""
    try:
        real = os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115 - for every file that is read
    except OSError:
        return True  # a system without /proc: the look at links when the file was found has to do
    return real.startswith(base_dir.rstrip("/") + "/")


class WithNumber(Protocol):
    """What a file system says of a file."""

    @property
    def st_ino(self) -> int: ...


def inode(status: WithNumber) -> int:
    """The number of a file in its file system, as databases can store it."""
    return status.st_ino & 0x7FFFFFFFFFFFFFFF


def content_checksum(handle: int, size: int) -> int:
    """The CRC-32C of a file's first bytes; raises OSError. Holes of sparse files are passed over."""
    checksums = [checksum for _, checksum in content_checksums(handle, size)]
    return checksums[-1] if checksums else 0


def content_checksums(handle: int, size: int, position: int = 0, checksum: int = 0) -> Iterator[tuple[int, int]]:
    """Positions up to the size, a block or hole after the other, with the CRC-32C of all before them; raises OSError.

    Goes on from a position and its checksum. A file that was cut meanwhile ends with a checksum of -1.
    """
    while position < size:
        data = min(_next_data(handle, position, size), size)
        if data > position:
            checksum, position = crc32c_of_zeros(data - position, checksum), data
        elif block := os.pread(handle, min(_BLOCK, size - position), position):
            checksum, position = crc32c(block, checksum), position + len(block)
        else:
            checksum, position = -1, size
        yield position, checksum


def _next_data(handle: int, position: int, size: int) -> int:
    try:
        return os.lseek(handle, position, os.SEEK_DATA)
    except OSError as error:
        return size if error.errno == errno.ENXIO else position  # a hole up to the end, or nobody can tell


def mark(handle: int, position: int) -> bytes:
    """A fingerprint of the first and the last bytes before a position; other bytes there mean another file."""
    if position == 0:
        return b""
    head = os.pread(handle, min(position, _MARK_BYTES), 0)
    tail = os.pread(handle, min(position, _MARK_BYTES), max(0, position - _MARK_BYTES))
    return _digest(head + tail)


def mark_of(content: memoryview) -> bytes:
    """The same for all bytes before a position."""
    return _digest(bytes(content[:_MARK_BYTES]) + bytes(content[-_MARK_BYTES:])) if len(content) else b""


def _digest(ends: bytes) -> bytes:
    return hashlib.blake2b(ends, digest_size=16).digest()
