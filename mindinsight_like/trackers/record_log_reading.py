"""Reading on in a log of records, piece by piece."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from mindinsight_like.logs.batch import Damage, describe
from mindinsight_like.trackers.appended_files import Tail, read_tail
from mindinsight_like.trackers.reader import Log, LogUnreadable, Points
from mindinsight_like.trackers.record_logs import HEADER_BYTES, SEPARATOR, Memory, Scanned, scan

_PIECE_BYTES: Final = 4 * 1024 * 1024
_MOST_RECORD_BYTES: Final = 1 << 30
_HEADER_DAMAGE: Final = 0, 3, -1  # indexes batch.DAMAGE_KINDS


@dataclass(frozen=True)
class Layout:
    """One of the formats that consist of records."""

    number: int  # see `record_logs`
    magic: bytes
    version: int
    writer: str  # for people


@dataclass
class Reading:
    """The pieces of a slice; what there is to say of them when all have been read."""

    log: Log
    layout: Layout
    place: dict[str, Any] | None  # of an earlier slice
    memory: Memory
    starts_over: bool = False
    is_partial: bool = False
    position: int = 0
    damage: list[Damage] = field(default_factory=list)

    def pieces(self) -> Iterator[Scanned]:
        """Whole records, until the log or the time of the slice is at its end; raises LogUnreadable, OSError."""
        log, limits = self.log, self.log.limits
        version = log.versions.get(log.name)
        if version is None:
            raise LogUnreadable(f"{log.name} is not there")
        deadline = time.monotonic() + limits.seconds
        usual = max(HEADER_BYTES, min(_PIECE_BYTES, limits.bytes))
        tail = read_tail(log.source, log.name, version, self.place, usual)
        data, self.position, self.starts_over = tail.data, tail.offset, tail.starts_over
        self.memory = Memory() if tail.starts_over else self.memory
        first, points, size = self.position, 0, usual
        if not self.position and len(data) >= HEADER_BYTES:
            self._check_header(data)
            self.position = HEADER_BYTES
            data = log.source.read(log.name, HEADER_BYTES, min(usual, version.size - HEADER_BYTES))
        while data and self.position >= HEADER_BYTES:
            is_at_end = self.position + len(data) >= version.size
            scanned = scan(data, self.position, self.layout.number, is_at_end, self.memory)
            self.memory = scanned.memory
            self.damage += [describe(*region) for region in scanned.damage]
            self.position += scanned.consumed
            yield scanned
            if is_at_end:
                return
            size = usual if scanned.consumed else 2 * len(data)
            if size > _MOST_RECORD_BYTES:
                self._give_up(len(data))
            points += len(scanned.values)
            is_long = points >= limits.points or self.position - first >= limits.bytes
            if scanned.consumed and (is_long or time.monotonic() >= deadline):
                self.is_partial = True
                return
            data = log.source.read(log.name, self.position, min(size, version.size - self.position))

    def next_place(self) -> dict[str, Any]:
        """Where reading goes on, as part of a cursor."""
        version = self.log.versions[self.log.name]
        return Tail(b"", self.position, False, True).place(self.log.source, self.log.name, version, 0)

    def _check_header(self, data: bytes) -> None:
        if data[:4] == self.layout.magic[:4] and data[6] != self.layout.version and self.layout.version:
            writer, version = self.layout.writer, self.layout.version
            raise LogUnreadable(f"version {data[6]} of {writer}'s format is not known, only version {version} is")
        if data[:HEADER_BYTES] != self.layout.magic + bytes([self.layout.version]):
            self.damage.append(describe(*_HEADER_DAMAGE))

    def _give_up(self, size: int) -> None:
        """Leave a record behind that is longer than any may be."""
        if not self.memory.damaged:
            self.damage.append(describe(self.position, 2, -1))
        self.memory = self.memory._replace(damaged=True)
        self.position += size


def points_of(scanned: Scanned) -> Points:
    """The points of a piece, parts of nested keys joined by dots."""
    tags = [tag.replace(SEPARATOR, ".") for tag in scanned.tags]
    return Points(tags, scanned.numbers, scanned.steps, scanned.walls, scanned.values)


def joined(parts: Sequence[Points]) -> Points | None:
    """The points of some pieces with one list of tags."""
    if len(parts) < 2:
        return parts[0] if parts else None
    numbers: dict[str, int] = {}
    places = [np.array([numbers.setdefault(tag, len(numbers)) for tag in part.tags], np.int64) for part in parts]
    return Points(
        list(numbers),
        np.concatenate([place[part.numbers] for place, part in zip(places, parts, strict=True)]),
        np.concatenate([part.steps for part in parts]),
        np.concatenate([part.walls for part in parts]),
        np.concatenate([part.values for part in parts]),
    )


def memory_of(cursor: dict[str, Any]) -> Memory:
    """The memory that a cursor keeps."""
    if "memory" not in cursor:
        return Memory()
    damaged, step, samples, stderr, stdout = cursor["memory"]
    return Memory(damaged, step, samples, stderr.encode("latin-1"), stdout.encode("latin-1"))


def kept(memory: Memory) -> list[Any]:
    """The memory as part of a cursor."""
    *numbers, stderr, stdout = memory
    return [*numbers, stderr.decode("latin-1"), stdout.decode("latin-1")]


def beside(name: str, other: str) -> str:
    """The name of something in the folder of a file."""
    folder, slash, _ = name.rpartition("/")
    return f"{folder}{slash}{other}"
