"""Entries that wait on disk until the service has them: written by one process, sent by another or the same.

A spool is a folder with segments, `<number of the first entry>.segment`, of entries framed as in TFRecord files. Every
process that writes makes a spool of its own, so that numbers are never used twice. Segments go when all in them is
acknowledged, or, the oldest first, when the spool has reached its limit; who reads sees the gap in the numbers.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import struct
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import IntEnum
from itertools import chain, pairwise
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from mindinsight_like.logs.framing import frame, masked_crc32c

LIMIT: Final = 256 << 20  # bytes of one spool
_SEGMENT_BYTES: Final = 4 << 20
_HEAD: Final = struct.Struct("<QBI")  # number, kind, length of the JSON before the content
_LENGTH: Final = struct.Struct("<QI")
_CHECKSUM: Final = struct.Struct("<I")
_ACKNOWLEDGED: Final = struct.Struct("<Q")


class Kind(IntEnum):
    """What an entry holds; the JSON before its content tells the rest."""

    SAMPLE = 1  # JSON: time, step, values by name
    BLOCK = 2  # JSON: recording; the content is the block
    PIECE = 3  # JSON: folder, path, offset, length, is_last; the content is in that file


class Entry(NamedTuple):
    sequence: int
    kind: Kind
    told: dict[str, Any]
    content: bytes


@dataclass(frozen=True)
class About:
    """Whose spool it is, and where its entries shall go."""

    id: str
    server: str
    run: str
    name: str  # of the files: host and process
    created: float


class SpoolWriter:
    """The end of a spool where entries are put; from any thread."""

    def __init__(self, folder: Path, *, server: str, run: str, name: str, limit: int = LIMIT) -> None:
        about = About(secrets.token_hex(8), server, run, name, time.time())
        self.folder = folder / about.id
        self.folder.mkdir(parents=True, mode=0o700)
        self._lock_file = _locked(self.folder / "writer.lock")
        draft = self.folder / "about.tmp"
        draft.write_text(json.dumps(asdict(about)), encoding="utf-8")
        draft.replace(self.folder / "about.json")
        self._limit = limit
        self._lock = threading.Lock()
        self._next = 1
        self._file: IO[bytes] | None = None
        self._size = 0

    def put(self, kind: Kind, told: dict[str, Any], content: bytes = b"") -> None:
        """Append an entry; it is the operating system's when this returns."""
        head = json.dumps(told).encode()
        with self._lock:
            if self._file is None or self._size >= min(_SEGMENT_BYTES, self._limit // 4):
                self._begin_segment()
            assert self._file is not None
            record = frame(_HEAD.pack(self._next, kind, len(head)) + head + content)
            self._next += 1
            self._size += len(record)
            if self._file.write(record) < len(record):  # the disk is full; what follows is readable in another segment
                self._size = _SEGMENT_BYTES

    def close(self) -> None:
        """Nothing more will be put; what is there stays until it is sent."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None
            self._limit = 0
        if self._lock_file is not None:
            self._lock_file.close()

    def _begin_segment(self) -> None:
        if self._limit == 0:
            raise ValueError("the spool is closed")
        if self._file is not None:
            self._file.close()
        sizes = {path: _size(path) for path in _segments(self.folder)}
        too_much = sum(sizes.values()) + self._limit // 4 - self._limit
        for path, size in sizes.items():
            if too_much <= 0:
                break
            path.unlink(missing_ok=True)
            too_much -= size
        self._file = (self.folder / f"{self._next:020d}.segment").open("xb", buffering=0)
        self._size = 0


class SpoolReader:
    """The end of a spool from which entries are sent; one at a time has it."""

    def __init__(self, folder: Path) -> None:
        """Raises BlockingIOError while another has it, OSError or ValueError for what is no spool."""
        self.folder = folder
        self.about = About(**json.loads((folder / "about.json").read_bytes()))
        lock = _locked(folder / "courier.lock")
        if lock is None:
            raise BlockingIOError(f"{folder} is being sent")
        self._lock_file = lock
        self._marker = os.fdopen(os.open(folder / "acknowledged", os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
        told = self._marker.read(_ACKNOWLEDGED.size)
        self.acknowledged = _ACKNOWLEDGED.unpack(told)[0] if len(told) == _ACKNOWLEDGED.size else 0
        self.dropped = 0
        self._file: IO[bytes] | None = None
        self._first = 0  # number of the first entry of the open segment
        self._last = self.acknowledged  # of what has been read
        self._next: Entry | None = None  # read, but not given to anybody

    @property
    def is_finished(self) -> bool:
        """Whether all that is there is acknowledged."""
        if self._next is None:
            self._next = next(self._entries(), None)
        return self._next is None and self.acknowledged >= self._last

    def rewind(self) -> None:
        """Read again what is not acknowledged."""
        self._close_segment()
        self._next = None
        self._last = self.acknowledged

    def read(self, most_bytes: int) -> list[Entry]:
        """The next entries, at least one if there is any."""
        found: list[Entry] = []
        size = 0
        for entry in chain([self._next] if self._next else [], self._entries()):
            self._next = None
            found.append(entry)
            size += len(entry.content) + int(entry.told.get("length", 0)) + 200
            if size >= most_bytes:
                break
        return found

    def acknowledge(self, sequence: int) -> None:
        """The service has all up to this one."""
        if sequence <= self.acknowledged:
            return
        self.acknowledged = sequence
        os.pwrite(self._marker.fileno(), _ACKNOWLEDGED.pack(sequence), 0)
        segments = _segments(self.folder)
        for path, following in pairwise(segments):
            if int(following.stem) > sequence + 1:
                break
            path.unlink(missing_ok=True)

    @property
    def is_written(self) -> bool:
        """Whether its writer still lives."""
        return _is_held(self.folder / "writer.lock")

    def remove(self) -> None:
        """Take the spool away: its writer is gone, and all is acknowledged."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Leave it to others."""
        self._close_segment()
        self._marker.close()
        self._lock_file.close()

    def _entries(self) -> Iterator[Entry]:
        while True:
            if self._file is None and not self._open_segment():
                return
            assert self._file is not None
            place = self._file.tell()
            entry = _read_entry(self._file)
            if entry is None:  # not there yet, or the end of the segment
                self._file.seek(place)
                if not self._open_segment():
                    return
                continue
            if entry.sequence > self._last:
                self.dropped += entry.sequence - self._last - 1
                self._last = entry.sequence
                yield entry

    def _open_segment(self) -> bool:
        """The segment after the open one, or that with the first entry not read yet; False when there is none."""
        segments = _segments(self.folder)
        if self._file is not None:
            later = [path for path in segments if int(path.stem) > self._first]
        else:
            begun = [path for path in segments if int(path.stem) <= self._last + 1]
            later = [*begun[-1:], *segments[len(begun) :]]
        for path in later:
            with contextlib.suppress(FileNotFoundError):  # it has just gone, since the spool was full
                file = path.open("rb")
                self._close_segment()
                self._file, self._first = file, int(path.stem)
                return True
        return False

    def _close_segment(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def leftovers(folder: Path, server: str) -> Iterator[SpoolReader]:
    """Spools for this server whose writers have ended and that nobody sends."""
    for about in sorted(folder.glob("*/about.json")):
        with contextlib.suppress(OSError, ValueError, TypeError):
            # Looked at first: even for a moment, nobody may take the spool of a writer that is just beginning.
            if _is_held(about.parent / "writer.lock"):
                continue
            reader = SpoolReader(about.parent)
            if reader.about.server == server:
                yield reader
            else:
                reader.close()


def _read_entry(file: IO[bytes]) -> Entry | None:
    """The entry at the place of the file; None where there is no whole one."""
    head = file.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    length, checksum = _LENGTH.unpack(head)
    if checksum != masked_crc32c(head[:8]) or length > os.fstat(file.fileno()).st_size:
        return None
    payload = file.read(length + _CHECKSUM.size)
    if len(payload) < length + _CHECKSUM.size or length < _HEAD.size:
        return None
    payload, checksum = payload[:length], _CHECKSUM.unpack(payload[length:])[0]
    if checksum != masked_crc32c(payload):
        return None
    sequence, kind, told = _HEAD.unpack_from(payload)
    begin = _HEAD.size + told
    return Entry(sequence, Kind(kind), json.loads(payload[_HEAD.size : begin]), payload[begin:])


def _segments(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.segment"))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _locked(path: Path) -> IO[bytes] | None:
    """The file, locked as long as it is open; None when another has it."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def _is_held(path: Path) -> bool:
    lock = _locked(path)
    if lock is None:
        return True
    lock.close()
    return False
