"""Chunked reading of a file, decompressed on the fly."""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final

fast_zlib: Any
try:
    from isal import isal_zlib

    fast_zlib = isal_zlib
except ImportError:  # processors that it was not made for
    fast_zlib = zlib

_PACKED_BYTES: Final = 2**14  # at a time; what they unpack to is lost where they are damaged
_GZIP: Final = 31  # window bits that mean gzip's own header and checksum
_UNPACK_ERRORS: Final[tuple[type[Exception], ...]] = (zlib.error, fast_zlib.error, EOFError)


class Pieces:
    """Reads a file from its beginning, or from any place in it; what is gzip's is unpacked on the way.

    The descriptor is its own from then on.
    """

    def __init__(self, handle: int) -> None:
        self.unpacked = 0  # bytes given so far
        self.unpack_error = ""  # why unpacking ended before the end of the file
        self._handle = handle
        self._size = os.fstat(self._handle).st_size
        self._read = 0
        self._rest = b""
        self.is_packed = os.pread(self._handle, 2, 0) == b"\x1f\x8b"
        self._unpacker = fast_zlib.decompressobj(_GZIP)
        self._is_within = False  # what gzip calls a member

    def __enter__(self) -> Pieces:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives the file back."""
        os.close(self._handle)

    @property
    def share(self) -> float:
        """How much of the file has been read, 0 to 1."""
        return min(1.0, self._read / self._size) if self._size else 1.0

    def skip(self, count: int) -> None:
        """Go on that many bytes further."""
        if not self.is_packed:
            self._read += count
            return
        scratch = bytearray(min(count, 2**22))
        while count > 0:
            got = self.fill(memoryview(scratch)[:count])
            if not got:
                return
            count -= got

    def fill(self, target: memoryview) -> int:
        """Put the next bytes there; fewer than there is room for only at the end of the file."""
        filled = 0
        while filled < len(target):
            got = self._unpack(target[filled:]) if self.is_packed else self._copy(target[filled:])
            if not got:
                break
            filled += got
        self.unpacked += filled
        return filled

    def _copy(self, target: memoryview) -> int:
        got = os.preadv(self._handle, [target], self._read)
        self._read += got
        return got

    def _unpack(self, target: memoryview) -> int:
        while not self.unpack_error:
            if self._unpacker.eof:  # of one member; more may follow, or the zeros that pad tapes
                self._rest = self._unpacker.unused_data.lstrip(b"\0")
                self._unpacker = fast_zlib.decompressobj(_GZIP)
                self._is_within = False
            if not self._rest:
                self._rest = os.pread(self._handle, _PACKED_BYTES, self._read)
                self._read += len(self._rest)
            is_end = not self._rest
            self._is_within |= not is_end
            try:
                content = self._unpacker.decompress(self._rest, len(target))
            except _UNPACK_ERRORS as error:
                self.unpack_error = f"the gzip data is damaged: {error}"
                break
            self._rest = self._unpacker.unconsumed_tail
            if content:
                target[: len(content)] = content
                return len(content)
            if is_end:
                self.unpack_error = "the file ends within its gzip data" if self._is_within else ""
                break
        return 0


class Unpacked(io.RawIOBase):
    """A packed file as one that is not; where it is damaged or cut, it ends, and `on_error` is told why."""

    def __init__(self, pieces: Pieces, on_error: Callable[[str], None]) -> None:
        self._pieces = pieces
        self._on_error = on_error

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Puts the next bytes there; 0 at the end."""
        with memoryview(buffer).cast("B") as target:
            got = self._pieces.fill(target)
        if self._pieces.unpack_error:
            self._on_error(self._pieces.unpack_error)
        return got

    def close(self) -> None:
        """Closes the file, too."""
        if not self.closed:
            self._pieces.close()
        super().close()
