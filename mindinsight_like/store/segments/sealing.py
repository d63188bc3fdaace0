"""Sealed data: bytes followed by a CRC-32C of each 16 KiB chunk, verified on first use.

    payload   any bytes
    checks    u4 for each started chunk of the payload
    footer    magic, number of the owner, bytes of the payload, CRC-32C of the checks and of the footer before it

What is mapped into memory is verified chunk by chunk, so that looking at one curve of a large file reads that curve.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.checksums import chunk_checksums, crc32c

_CHUNK = 16 * 1024
_MAGIC = b"MISEAL\x01\0"
_FOOTER = struct.Struct("<8sQQI")
_SMALL = 256 * 1024  # bytes that are quicker joined than looked at buffer by buffer

Buffer = bytes | bytearray | memoryview


class BrokenSeal(Exception):
    """Bytes are not what was sealed: damaged, cut, or somebody else's."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.number = number  # of the owner that they should belong to


def seal(buffers: Sequence[Buffer], number: int) -> list[Buffer]:
    """Buffers to be written one after the other: the payload in `buffers`, and what proves it is the owner's."""
    size = sum(map(len, buffers))
    if size < _SMALL:
        joined = b"".join(buffers)
        checks = chunk_checksums(joined, _CHUNK).tobytes()
        return [joined, checks, _footer(checks, number, size)]
    checks = _checks(buffers).tobytes()
    return [*buffers, checks, _footer(checks, number, size)]


def sealed(content: bytes, number: int) -> bytes:
    """The same for a small file."""
    return b"".join(seal([content], number))


def unsealed(data: bytes, number: int) -> bytes:
    """The content of a small file, all of it verified; raises BrokenSeal."""
    proof = Seal(data, number)
    proof.verify()
    return data[: proof.payload_bytes]


def number_for(name: str) -> int:
    """The number of an owner that has a name: what was sealed for one does not pass for another."""
    return crc32c(name.encode("utf-8", "surrogateescape"))


def file_state(path: Path) -> tuple[int, int, int]:
    """What is another one after anybody has written to a file; nobody can set its last number back."""
    status = os.stat(path)  # noqa: PTH116 - for every file of every answer
    return status.st_ino, status.st_size, status.st_ctime_ns


def _footer(checks: bytes, number: int, size: int) -> bytes:
    footer = _FOOTER.pack(_MAGIC, number, size, 0)[:-4]
    return footer + crc32c(footer, crc32c(checks)).to_bytes(4, "little")


def _checks(buffers: Sequence[Buffer]) -> NDArray[np.uint32]:
    """The checksum of each started chunk of the buffers, which follow each other."""
    parts: list[NDArray[np.uint32]] = []
    started, crc = 0, 0  # bytes of the chunk at hand, and their checksum
    for buffer in buffers:
        view = memoryview(buffer).cast("B")
        if started:
            head = view[: _CHUNK - started]
            started, crc, view = started + len(head), crc32c(head, crc), view[len(head) :]
            if started < _CHUNK:
                continue
            parts.append(np.array([crc], np.uint32))
        whole = len(view) // _CHUNK * _CHUNK
        parts.append(chunk_checksums(view[:whole], _CHUNK))
        started, crc = len(view) - whole, crc32c(view[whole:])
    if started:
        parts.append(np.array([crc], np.uint32))
    return np.concatenate(parts) if parts else np.zeros(0, np.uint32)


class Seal:
    """Verifies what lies in sealed bytes, each chunk once."""

    def __init__(self, data: bytes | mmap.mmap, number: int) -> None:
        """Looks at the footer and the checksums; raises BrokenSeal."""
        end = len(data) - _FOOTER.size
        if end < 0:
            raise BrokenSeal("it is cut", number)
        footer = data[end:]
        magic, owner, size, crc = _FOOTER.unpack(footer)
        checks = data[end - -(-size // _CHUNK) * 4 : end] if size <= end else b""
        if magic != _MAGIC or size + len(checks) != end or crc32c(footer[:-4], crc32c(checks)) != crc:
            raise BrokenSeal("the checksums themselves are damaged", number)
        if owner != number:
            raise BrokenSeal(f"it belongs to {owner}, not to {number}", number)
        self._number = number
        self.payload_bytes: int = size
        self._data = memoryview(data)
        self._checks = np.frombuffer(checks, "<u4")
        self._base = np.frombuffer(data, np.uint8).ctypes.data
        self._is_verified = np.zeros(len(self._checks), np.bool_)

    def verify(self, begin: int = 0, end: int | None = None) -> None:
        """Make sure that these bytes of the payload are what was sealed; raises BrokenSeal."""
        end = self.payload_bytes if end is None else end
        first, last = begin // _CHUNK, -(-end // _CHUNK)
        if begin >= end or self._is_verified[first:last].all():
            return
        checksums = chunk_checksums(self._data[first * _CHUNK : min(last * _CHUNK, self.payload_bytes)], _CHUNK)
        if not np.array_equal(checksums, self._checks[first:last]):
            raise BrokenSeal(f"a checksum fails between byte {first * _CHUNK} and {last * _CHUNK}", self._number)
        self._is_verified[first:last] = True

    def verify_arrays(self, *arrays: NDArray[Any]) -> None:
        """The same for contiguous arrays that lie in the payload."""
        for array in arrays:
            begin = array.ctypes.data - self._base
            self.verify(begin, begin + array.nbytes)
