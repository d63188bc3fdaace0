"""Tracked log files: what the index stores about a file, and the update that one read produces."""

from __future__ import annotations

import math
import struct
from typing import NamedTuple, Protocol

from mindinsight_like.logs.batch import Batch
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.run_states import WriterState

_PACE = struct.Struct("<ddqqq")
_FEW_SERIES = 20


class Pace(NamedTuple):
    """When and how often a log got points: wall times, steps, and how many its longest series has."""

    first_wall: float | None = None
    last_wall: float | None = None
    first_step: int | None = None
    last_step: int | None = None
    points: int = 0

    def pack(self) -> bytes:
        """In few bytes, as there is one for every file."""
        if not self.points:
            return b""
        walls = (math.nan if wall is None else wall for wall in self[:2])
        return _PACE.pack(*walls, *self[2:])

    @classmethod
    def unpack(cls, packed: bytes) -> Pace:
        if not packed:
            return cls()
        first_wall, last_wall, *rest = _PACE.unpack(packed)
        return cls(None if math.isnan(first_wall) else first_wall, None if math.isnan(last_wall) else last_wall, *rest)

    def with_batch(self, batch: Batch) -> Pace:
        stats = batch.scalar_stats
        if not len(stats):
            return self
        if len(stats) <= _FEW_SERIES:  # as in most small files: five calls of numpy would take twice as long
            counts, first_steps, last_steps, *_, first_walls, last_walls = zip(*stats.tolist(), strict=True)
            points, first_step, last_step = max(counts), min(first_steps), max(last_steps)
            is_finite = math.isfinite(sum(first_walls) + sum(last_walls))  # min and max pass over NaN or not
            first_wall, last_wall = (min(first_walls), max(last_walls)) if is_finite else (math.nan, math.nan)
        else:
            points, first_step, last_step = (
                int(stats["count"].max()),
                int(stats["first_step"].min()),
                int(stats["last_step"].max()),
            )
            first_wall, last_wall = float(stats["first_wall"].min()), float(stats["last_wall"].max())
        if not (math.isfinite(first_wall) and math.isfinite(last_wall)):
            return self if batch.has_walls else self._with_steps(first_step, last_step, points)
        if self.first_wall is not None and self.last_wall is not None:
            first_wall, last_wall = min(first_wall, self.first_wall), max(last_wall, self.last_wall)
        if self.first_step is not None and self.last_step is not None:
            first_step, last_step = min(first_step, self.first_step), max(last_step, self.last_step)
        return Pace(first_wall, last_wall, first_step, last_step, self.points + points)

    def _with_steps(self, first_step: int, last_step: int, points: int) -> Pace:
        """With points whose times nobody wrote."""
        if self.first_step is not None and self.last_step is not None:
            first_step, last_step = min(first_step, self.first_step), max(last_step, self.last_step)
        return self._replace(first_step=first_step, last_step=last_step, points=self.points + points)


class TrackedFile(NamedTuple):
    """A log file as far as it has been read."""

    name: str  # path below the base dir, with slashes
    run: str  # name of its run
    dialect: Dialect
    rank: int | None = None  # device or rank that wrote it, where the name tells
    created_at: float | None = None  # unix seconds in the file's name
    size: int = 0
    mtime_ns: int = 0
    position: int = 0  # first byte not yet read
    damaged: bool = False  # position lies inside damage that has been reported
    damages: int = 0
    mark: bytes = b""  # fingerprint of what lies before the position
    id: int = 0  # 0: not in the index yet
    is_partial: bool = False  # reading has not reached yet what was the end of the file when it was last looked at
    display_name: str = ""  # that its writer gave the run, where the dialect has one
    inode: int = 0
    ctime_ns: int = 0  # when anything about the file changed last; nobody can set it
    checksum: int = 0  # CRC-32C of the bytes before the position; 0 where files are read as a whole
    is_verified: bool = False  # all these bytes were seen in one state of the file, which has rested since
    pace: bytes = b""  # of `Pace`
    writer_state: WriterState | None = None  # what a file with a run state, or a tracker, says
    # Of logs of trackers only:
    cursor: bytes = b""  # where their reader goes on
    document_bytes: int = 0  # of the documents that the index keeps of it
    store: str = ""  # name of the log with several runs that this is one of
    is_store: bool = False  # a log with several runs, which are tracked files of their own

    @property
    def is_hidden(self) -> bool:
        """Whether it is no part of a run: a store with nothing to warn of."""
        return self.is_store and not self.damages


# Kinds of warnings that go when their file is read on.
UNFINISHED = "unfinished"
EMPTY = "empty"
UNREADABLE = "unreadable"
PASSING = (UNFINISHED, EMPTY, UNREADABLE)

DAMAGED = b"damaged"  # no fingerprint of a file, which therefore is read again from its beginning


class Trouble(NamedTuple):
    """A warning about a file; a file keeps only its first ones, their number is unlimited."""

    position: int
    kind: str
    message: str


class SeriesKeys(Protocol):
    """The keys of series by their number: a list, or the scanner itself, which need not make objects of them all."""

    def __len__(self) -> int: ...

    def __getitem__(self, number: int, /) -> bytes: ...


class FileUpdate(NamedTuple):
    """A file's new state with what was read on the way there; both are stored together or not at all."""

    file: TrackedFile
    batch: Batch | None = None
    keys: SeriesKeys = ()  # of all series of the file by their number, those of the batch included
    starts_over: bool = False  # what the index holds of the file goes first: it was replaced or cut
    troubles: tuple[Trouble, ...] = ()  # apart from the batch's damage, e.g. an unreadable file
    documents: bytes = b""  # of a tracker's log: what its new blobs consist of
    lineage: bytes | None = None  # all that a tracker has said of its run by now; None: as before
    runs: tuple[FileUpdate, ...] = ()  # of a store
    gone: tuple[TrackedFile, ...] = ()  # runs that a store has no longer

    def is_heartbeat(self, tracked: TrackedFile) -> bool:
        """Whether a file with a run state says what it said before."""
        return (
            tracked.id != 0 and tracked.dialect == Dialect.RUN_STATE and self.file.writer_state == tracked.writer_state
        )
