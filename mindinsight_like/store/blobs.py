"""Blobs: values that stay in their log files, listed in columns and read when asked for."""

from __future__ import annotations

import base64
import binascii
import os
import stat
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import BlobGone, NotFound, TooLarge
from mindinsight_like.logs.batch import BLOCK
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.logs.paths import lies_inside, mark, open_log, to_path
from mindinsight_like.store.lanes import Lane
from mindinsight_like.store.resuming import Part, Points, between_steps, visible
from mindinsight_like.store.segments import BlobColumns, Floats, Ints, ScalarColumns, Segment

MOST_BYTES = 256 * 2**20  # of one blob; what is longer is not read

REFERENCE = np.dtype([("file", "<i8"), ("offset", "<i8"), ("length", "<i8")])
_TOKEN = struct.Struct("<qqqdI")
_NO_BLOCKS = np.zeros(0, BLOCK)


@dataclass(frozen=True)
class BlobSeries:
    """Where the values of one tag of one run lie, as one writer logged them."""

    run: str
    tag: str
    source: str  # empty, or what tells several series of the run and tag apart
    steps: Ints
    wall_times: Floats
    references: NDArray[Any]  # of REFERENCE


class Reference(NamedTuple):
    """One blob, and with `part` one of the things in it. The wall time tells it from what may replace it there."""

    file: int
    offset: int
    length: int
    wall_time: float
    part: int = 0

    @property
    def token(self) -> str:
        """The reference as text for addresses."""
        return base64.urlsafe_b64encode(_TOKEN.pack(*self)).decode().rstrip("=")

    @classmethod
    def of(cls, token: str) -> Reference:
        """The reverse of `token`; raises NotFound for other text."""
        try:
            packed = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
            return cls(*_TOKEN.unpack(packed))
        except (binascii.Error, struct.error, ValueError) as error:
            raise NotFound("there is no such blob") from error


class StoredRecord(NamedTuple):
    """One record of a run, wherever it stands."""

    kind: Kind
    tag: str
    file: int
    file_name: str  # path below the base dir, with slashes
    dialect: Dialect
    step: int
    wall_time: float
    offset: int
    length: int


class BlobFile(NamedTuple):
    """A log file as the index read it."""

    name: str  # path below the base dir, with slashes
    dialect: Dialect
    position: int
    mark: bytes


class FoundBlob(NamedTuple):
    """What the index knows of a blob."""

    kind: Kind
    tag: str
    file: BlobFile


class BlobBytes:
    """Reads blobs of some log files, each file only while it is the one that the index read; a context manager.

    One file is open at a time, so blobs are best asked for file by file.
    """

    def __init__(self, base_dir: Path, files: Mapping[int, BlobFile]) -> None:
        self._base_dir = os.fspath(base_dir)
        self._files = files
        self._open: tuple[int, int] | None = None  # file, descriptor

    def __enter__(self) -> BlobBytes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def dialect(self, file: int) -> Dialect:
        return self._file(file).dialect

    def read(self, file: int, offset: int, length: int) -> bytes:
        """The bytes of a blob, or the first ones of it; raises BlobGone, TooLarge."""
        if length > MOST_BYTES:
            raise TooLarge(f"it takes {length:,} bytes in its log; more than {MOST_BYTES:,} are not read")
        known = self._file(file)
        if offset < 0 or length < 0 or offset + length > known.position:
            raise BlobGone("the log file has no such bytes")
        handle = self._handle(file, known)
        try:
            data = _read(handle, offset, length)
        except OSError as error:
            raise BlobGone(f"the log file cannot be read: {error.strerror}") from error
        if len(data) < length:
            raise BlobGone("the log file has become shorter since it was read")
        return data

    def beside(self, file: int, name: str) -> bytes:
        """The bytes that a VisualDL 1.x tablet keeps in a file of its own; raises BlobGone, TooLarge."""
        # The name is a number; anything else could point out of the folder.
        if not (name.isascii() and name.isdigit()):
            raise BlobGone("nothing was recorded")
        folder = self._path(self._file(file)).rpartition("/")[0]
        try:
            handle = self._opened(f"{folder}/binary_records/{name}")
            try:
                size = os.fstat(handle).st_size
                if size > MOST_BYTES:
                    raise TooLarge(f"it takes {size:,} bytes in its file; more than {MOST_BYTES:,} are not read")
                data = _read(handle, 0, size)
            finally:
                os.close(handle)
        except OSError as error:
            raise BlobGone(f"the file binary_records/{name} cannot be read: {error.strerror}") from error
        if len(data) < 8:
            raise BlobGone(f"the file binary_records/{name} is not complete")
        # A length goes before the content.
        return data[8 : 8 + int.from_bytes(data[:8], "little")]

    def inside(self, file: int, name: str) -> int:
        """A descriptor of the file that a log file names, which must lie in the folder of the log file.

        Wherever links lead, nothing outside is opened or told of. Raises BlobGone.
        """
        folder = os.path.realpath(self._path(self._file(file)).rpartition("/")[0])
        shown = name[:200]
        try:
            path = os.path.realpath(f"{folder}/{name}" if not name.startswith("/") else name)
        except ValueError as error:
            raise BlobGone(f"{shown!r} is not the name of a file") from error
        if not name or not path.startswith(f"{folder.rstrip('/')}/"):
            raise BlobGone(f"{shown!r} does not lie in the folder of the run; nothing outside it is read")
        try:
            handle = open_log(path)
        except OSError as error:
            raise BlobGone(f"{shown!r} cannot be opened: {error.strerror}") from error
        if not lies_inside(folder, handle) or not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise BlobGone(f"{shown!r} is not a file in the folder of the run")
        return handle

    def _file(self, file: int) -> BlobFile:
        if file not in self._files:
            raise BlobGone("the log file is no longer there")
        return self._files[file]

    def _path(self, file: BlobFile) -> str:
        return f"{self._base_dir}/{to_path(file.name)}"

    def _opened(self, path: str) -> int:
        handle = open_log(path)
        if not lies_inside(self._base_dir, handle):
            os.close(handle)
            raise BlobGone("the file has been moved out of the folder of logs")
        return handle

    def _handle(self, file: int, known: BlobFile) -> int:
        if self._open is not None and self._open[0] == file:
            return self._open[1]
        self._close()
        try:
            handle = self._opened(self._path(known))
        except OSError as error:
            raise BlobGone(f"the log file cannot be opened: {error.strerror}") from error
        self._open = file, handle
        try:
            is_same = os.fstat(handle).st_size >= known.position and mark(handle, known.position) == known.mark
        except OSError as error:
            raise BlobGone(f"the log file cannot be read: {error.strerror}") from error
        if not is_same:
            self._close()
            raise BlobGone("the log file has been replaced since it was read; it will be read again in a moment")
        return handle

    def _close(self) -> None:
        if self._open is not None:
            os.close(self._open[1])
            self._open = None


def _read(handle: int, offset: int, length: int) -> bytes:
    """The bytes at a place, fewer where the file ends."""
    data = os.pread(handle, length, offset)
    while 0 < len(data) < length and (more := os.pread(handle, length - len(data), offset + len(data))):
        data += more  # the system gives at most two gigabytes at a time, and may give less
    return data


def shown(
    lane: Lane,
    held: Mapping[int, Sequence[Segment]],
    announced: Mapping[int, int],
    *,
    latest: bool,
    from_step: int | None = None,
    to_step: int | None = None,
    has_repeats: bool = False,
) -> tuple[Ints, Floats, NDArray[Any]]:
    """Steps, wall times and references of a lane's blobs, by the rules that curves follow (see `resuming`).

    What was written twice in a row for one step counts once, unless `has_repeats`: then each says something of its own.
    """
    parts: list[Part] = []
    references = [np.zeros(0, REFERENCE)]
    for place, series in enumerate(lane.series):
        columns = _columns(held.get(series.file, ()), series.number, has_repeats=has_repeats)
        if not len(columns.steps):
            continue
        breaks = np.flatnonzero(columns.steps[1:] < columns.steps[:-1]) + 1
        same_columns = ScalarColumns(columns.steps, columns.walls, columns.offsets, _NO_BLOCKS, breaks)
        # A start that the first file announces has nothing before it to overwrite.
        parts.append(Part(same_columns, announced.get(series.file) if place else None))
        rows = np.empty(len(columns.steps), REFERENCE)
        rows["file"], rows["offset"], rows["length"] = series.file, columns.offsets, columns.lengths
        references.append(rows)
    points = Points(parts)
    ranges = between_steps(points, visible(points, latest=latest, restarts_at=lane.restarts_at), from_step, to_step)
    kept = np.concatenate([np.zeros(0, np.int64), *(np.arange(low, high) for low, high in ranges)])
    steps, walls, _ = points.take(kept)
    return steps, walls, np.concatenate(references)[kept]


def _columns(held: Iterable[Segment], number: int, *, has_repeats: bool) -> BlobColumns:
    """The blobs of one series of a log file, without those whose step comes next again if they are no repeats."""
    found = [columns for segment in held if (columns := segment.blobs(number)) is not None]
    if not found:
        return BlobColumns(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64))
    steps = np.concatenate([columns.steps for columns in found])
    kept = np.append((steps[1:] != steps[:-1]) | has_repeats, True)
    return BlobColumns(
        steps[kept],
        np.concatenate([columns.walls for columns in found])[kept],
        np.concatenate([columns.offsets for columns in found])[kept],
        np.concatenate([columns.lengths for columns in found])[kept],
    )


def number_of(held: Iterable[Segment], reference: Reference) -> int | None:
    """The number of the series that has exactly this blob, None when none has."""
    for segment in held:
        (places,) = np.nonzero(segment.blob_offsets == reference.offset)
        for place in places.tolist():  # one, or the parts of a lineage event
            wall = np.float64(reference.wall_time)
            is_same = segment.blob_walls[place : place + 1].tobytes() == wall.tobytes()
            if segment.blob_lengths[place] == reference.length and is_same:
                return int(segment.blob_numbers[np.searchsorted(segment.blob_starts, place, "right") - 1])
    return None
