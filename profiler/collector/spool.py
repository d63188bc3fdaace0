"""Spool: durable queue of entries on disk (the writing side; `spool_reader` reads and acknowledges).

A spool is a folder with segments, `<number of the first entry>.segment`, of entries framed as in TFRecord files. Every
process that writes makes a spool of its own, so that numbers are never used twice. Segments go when all in them is
acknowledged, or, the oldest first, when the spool has reached its limit; who reads sees the gap in the numbers. Every
segment begins with what is needed to understand the blocks that follow, in case those before it have gone.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import secrets
import struct
import threading
import time
from dataclasses import asdict, dataclass
from enum import IntEnum
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from mindinsight_like.logs.framing import frame

LIMIT: Final = 256 << 20  # bytes of one spool
_SEGMENT_BYTES: Final = 4 << 20
HEAD: Final = struct.Struct("<QBI")  # number, kind, length of the JSON before the content


class Kind(IntEnum):
    """What an entry holds; the JSON before its content tells the rest."""

    SAMPLE = 1  # JSON: time, step, values by name
    BLOCK = 2  # JSON: recording; the content is the block
    PIECE = 3  # JSON: folder, path, version, offset, length, is_last, source; the content is in that file
    REPEATED = 4  # a BLOCK that was put before, at the beginning of a segment: only of use behind a gap


class Entry(NamedTuple):
    sequence: int
    kind: Kind
    metadata: dict[str, Any]
    content: bytes


@dataclass(frozen=True)
class SpoolInfo:
    """Whose spool it is, and where its entries shall go."""

    id: str
    server: str
    run: str
    name: str  # of the files: host and process
    created: float
    output_path: str = ""  # where the recordings are, too
    is_training: bool = False  # written by the training itself


class SpoolWriter:
    """The end of a spool where entries are put; from any thread."""

    def __init__(
        self,
        folder: Path,
        *,
        server: str,
        run: str,
        name: str,
        output_path: str = "",
        is_training: bool = False,
        limit: int = LIMIT,
    ) -> None:
        info = SpoolInfo(secrets.token_hex(8), server, run, name, time.time(), output_path, is_training)
        self.id = info.id
        self.folder = folder / info.id
        self.folder.mkdir(parents=True, mode=0o700)
        self._lock_file = locked(self.folder / "writer.lock")
        draft = self.folder / "about.tmp"
        draft.write_text(json.dumps(asdict(info)), encoding="utf-8")
        draft.replace(self.folder / "about.json")
        self.repeated: list[tuple[dict[str, Any], bytes]] = []  # blocks that every further segment begins with
        self._limit = limit
        self._lock = threading.Lock()
        self._next = 1
        self._file: IO[bytes] | None = None
        self._size = 0

    def put(self, kind: Kind, metadata: dict[str, Any], content: bytes = b"") -> None:
        """Append an entry; it is the operating system's when this returns.

        Raises OSError when the disk does not take it; its number is then left out.
        """
        with self._lock:
            if self._file is None or self._size >= min(_SEGMENT_BYTES, self._limit // 4):
                self._begin_segment()
                for block in self.repeated:
                    self._append(Kind.REPEATED, *block)
            self._append(kind, metadata, content)

    def close(self) -> None:
        """Nothing more will be put; what is there stays until it is sent."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None
            self._limit = 0
        if self._lock_file is not None:
            self._lock_file.close()

    def _append(self, kind: Kind, metadata: dict[str, Any], content: bytes) -> None:
        assert self._file is not None
        head = json.dumps(metadata).encode()
        record = frame(HEAD.pack(self._next, kind, len(head)) + head + content)
        self._next += 1
        written = self._file.write(record)
        self._size += len(record)
        if written < len(record):
            self._size = _SEGMENT_BYTES  # what follows can be read in another segment
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _begin_segment(self) -> None:
        if self._limit == 0:
            raise ValueError("the spool is closed")
        if self._file is not None:
            self._file.close()
        first = self._next
        self._next += 1  # should the disk be full, the number is missing, which tells that something was given up
        sizes = {path: _size(path) for path in segments(self.folder)}
        too_much = sum(sizes.values()) + self._limit // 4 - self._limit
        for path, size in sizes.items():
            if too_much <= 0:
                break
            path.unlink(missing_ok=True)
            too_much -= size
        self._file = (self.folder / f"{first:020d}.segment").open("xb", buffering=0)
        self._next = first
        self._size = 0


def segments(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.segment"))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def locked(path: Path) -> IO[bytes] | None:
    """The file, locked as long as it is open; None when another has it."""
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def is_held(path: Path) -> bool:
    lock = locked(path)
    if lock is None:
        return True
    lock.close()
    return False
