"""What the index knows of a log file, and what a reading of it adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mindinsight_like.logs.batch import Batch
from mindinsight_like.logs.kinds import Dialect


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


class Trouble(NamedTuple):
    """A warning about a file; a file keeps only its first ones, their number is unlimited."""

    position: int
    kind: str
    message: str


class FileUpdate(NamedTuple):
    """A file's new state with what was read on the way there; both are stored together or not at all."""

    file: TrackedFile
    batch: Batch | None = None
    keys: Sequence[bytes] = ()  # of all series of the file by their number, those of the batch included
    starts_over: bool = False  # what the index holds of the file goes first: it was replaced or cut
    troubles: tuple[Trouble, ...] = ()  # apart from the batch's damage, e.g. an unreadable file
