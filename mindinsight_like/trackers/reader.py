"""The seam between the loader and readers of trackers: what a reader recognises, reads and gives back.

A *log* is what a tracker wrote for one run, or a *store* of many runs, such as a database. It consists of members:
files that are looked at together. The loader asks for the members, compares their versions with those it has seen,
and lets a log be read that has changed. Reading goes on from a cursor that the reader itself wrote; a cursor and what
was read up to it are stored together or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mindinsight_like.logs.batch import Damage
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.trackers.source import FileVersion, Source

HEAD_BYTES = 4096


@dataclass(frozen=True)
class Folder:
    """A folder with the names in it, for readers to find their logs."""

    name: str  # below the base dir; "." is the base dir itself
    files: frozenset[str]
    folders: frozenset[str]
    head: Callable[[str], bytes]  # the first HEAD_BYTES of a file; empty when it is empty or cannot be read

    def path(self, name: str) -> str:
        """The name below the base dir of something in the folder."""
        return name if self.name == "." else f"{self.name}/{name}"


class RecognisedLog(NamedTuple):
    """A log that begins in a folder."""

    name: str  # of its main file, or of the folder when that is the log; below the base dir
    run: str  # name of the run, or of the store that its runs are named after; mostly the folder's
    claimed_files: frozenset[str] = frozenset()  # in the folder; no other reader or dialect reads these
    claimed_folders: frozenset[str] = frozenset()  # in the folder; nobody looks for logs in these


class Points(NamedTuple):
    """Scalars in the order of the log, series by series or mixed. NaN stands for a wall time that nobody wrote."""

    tags: Sequence[str]
    numbers: npt.NDArray[np.int64]  # for each point its place in `tags`
    steps: npt.NDArray[np.int64]
    walls: npt.NDArray[np.float64]  # unix seconds
    values: npt.NDArray[np.float64]


class Item(NamedTuple):
    """A value other than a scalar, as a JSON document (see `documents`), which the index keeps."""

    kind: Kind
    tag: str
    step: int
    wall: float
    document: bytes


@dataclass
class RunSlice:
    """What a slice of a log has brought for one run."""

    key: str = ""  # tells the runs of a store apart; empty for a log of one run
    points: Points | None = None
    items: list[Item] = field(default_factory=list)
    starts_over: bool = False  # what was read of the run before goes first
    display_name: str | None = None  # None: as before
    lineage: Mapping[str, Any] | None = None  # see `documents.lineage`; adds to what was said before
    state: WriterState | None = None  # None: as before, or the format has none
    damage: list[Damage] = field(default_factory=list)


@dataclass
class Slice:
    """What reading a log has brought."""

    cursor: bytes  # where reading goes on
    position: int  # how many bytes of the log have been read, for showing progress
    is_partial: bool = False  # there is more to read now
    runs: list[RunSlice] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)  # keys of runs that a store had and has no longer
    damage: list[Damage] = field(default_factory=list)  # of a store itself


class Limits(NamedTuple):
    """Where a slice should end, so that no other log is kept waiting and memory stays bounded."""

    points: int = 1_000_000
    bytes: int = 64 * 1024 * 1024
    seconds: float = 0.5


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class Log:
    """A log to be read on."""

    source: Source
    name: str
    versions: Mapping[str, FileVersion]  # of its members, as they are now
    cursor: bytes = b""  # empty: nothing was read yet
    limits: Limits = DEFAULT_LIMITS

    @property
    def folder(self) -> str:
        """The folder that the main file lies in."""
        return self.name.rpartition("/")[0] or "."


class LogUnreadable(Exception):
    """A log cannot be read at all for now; the message is for people."""


class TrackerReader(Protocol):
    """Reads the logs of one tracker."""

    dialect: Dialect
    is_store: bool  # of several runs

    def recognise(self, folder: Folder) -> Iterable[RecognisedLog]:
        """The logs of this tracker that begin in a folder."""

    def members(self, source: Source, name: str) -> Sequence[str]:
        """Names of the files that a log consists of, whether they exist or not; raises OSError."""

    def read(self, log: Log) -> Slice:
        """The next slice; raises LogUnreadable, OSError. Damage in a log costs what is damaged, nothing else."""
