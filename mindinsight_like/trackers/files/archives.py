"""Zip archives that trackers leave: members are read by their names, bounded in size, and nothing is ever unpacked."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import Final

from mindinsight_like.trackers.reader import LogUnreadable
from mindinsight_like.trackers.source import Source

MAGIC: Final = b"PK\x03\x04"
_MOST_BYTES: Final = 256 << 20  # of a member, unpacked
_MOST_MEMBERS: Final = 100_000
_MOST_DIRECTORY: Final = 64 << 20
_PIECE: Final = 1 << 20


def first_member(head: bytes) -> str:
    """The name of the first member of an archive that begins so; empty when it is none."""
    if not head.startswith(MAGIC):
        return ""
    length = int.from_bytes(head[26:28], "little")
    return head[30 : 30 + length].decode(errors="replace")


def read_members(source: Source, name: str, size: int, selection: tuple[str, ...]) -> dict[str, bytes]:
    """The wanted members that an archive has; raises LogUnreadable, OSError."""
    contents: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BufferedReader(_SourceFile(source, name, size), _PIECE)) as archive:
            if len(archive.infolist()) > _MOST_MEMBERS:
                raise LogUnreadable(f"the archive has more than {_MOST_MEMBERS:,} members")
            names = set(archive.namelist())
            for each in selection:
                if each in names:
                    contents[each] = _content(archive, each)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, LogUnreadable):
            raise
        raise LogUnreadable(f"the archive is damaged: {error}") from error
    return contents


def _content(archive: zipfile.ZipFile, name: str) -> bytes:
    """A member; of a damaged one what comes before the damage."""
    pieces: list[bytes] = []
    left = _MOST_BYTES
    try:
        with archive.open(name) as member:
            while piece := member.read(_PIECE):
                pieces.append(piece)
                left -= len(piece)
                if left < 0:
                    raise LogUnreadable(f"{name} in the archive has more than {_MOST_BYTES:,} bytes")
    except (zipfile.BadZipFile, zlib.error, EOFError):
        if not pieces:
            raise
    return b"".join(pieces)


class _SourceFile(io.RawIOBase):
    """A file of a source, for libraries that read files."""

    def __init__(self, source: Source, name: str, size: int) -> None:
        self._source = source
        self._name = name
        self._size = size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise ValueError("a place before the beginning of the file")
        self._position = start + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        count = min(len(view), _MOST_DIRECTORY, max(0, self._size - self._position))
        data = self._source.read(self._name, self._position, count)
        view[: len(data)] = data
        self._position += len(data)
        return len(data)
