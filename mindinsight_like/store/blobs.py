"""Blobs: values that stay in their log files; the index holds only where they are."""

from __future__ import annotations

import base64
import binascii
import os
import stat
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import BlobGone, NotFound, TooLarge
from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.logs.kinds import TRACKER_DIALECTS, Dialect, Kind
from mindinsight_like.logs.paths import content_checksum, inode, lies_inside, mark, open_log
from mindinsight_like.store.segments.segments import Floats, Ints, Segment
from mindinsight_like.store.series.writer_streams import Lane

MOST_BYTES = 256 * 2**20  # of one blob; what is longer is not read

REFERENCE = np.dtype([("file", "<i8"), ("offset", "<i8"), ("length", "<i8")])
_TOKEN = struct.Struct("<qqqdI")


@dataclass(frozen=True)
class BlobSeries:
    """Where the values of one tag of one run lie, as one writer logged them."""

    run: str
    tag: str
    source: str  # empty, or what tells several series of the run and tag apart
    steps: Ints
    wall_times: Floats
    references: NDArray[Any]  # of REFERENCE
    superseded: int  # blobs that the default view leaves out, whatever range of steps was asked for


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
            raise NotFound("blob not found") from error


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
    size: int
    inode: int
    ctime_ns: int
    checksum: int


class FoundBlob(NamedTuple):
    """What the index knows of a blob."""

    kind: Kind
    tag: str
    step: int
    file: BlobFile


class BlobBytes:
    """Reads blobs of some log files, each file only while it is the one that the index read; a context manager.

    One file is open at a time, so blobs are best asked for file by file.
    """

    def __init__(
        self, dirs: BaseDirs, files: Mapping[int, BlobFile], documents: Callable[[int, int, int], bytes]
    ) -> None:
        """`documents` reads what the index itself keeps of trackers' logs: file, offset and length are given."""
        self._dirs = dirs
        self._files = files
        self._documents = documents
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
            raise TooLarge(f"the value has {length:,} bytes; the limit is {MOST_BYTES:,}")
        indexed = self._file(file)
        if indexed.dialect in TRACKER_DIALECTS:
            return self._documents(file, offset, length)
        if offset < 0 or length < 0 or offset + length > indexed.position:
            raise BlobGone("the log file has no such bytes")
        handle = self._handle(file, indexed)
        try:
            data = _read(handle, offset, length)
        except OSError as error:
            raise BlobGone(f"the log file cannot be read: {error.strerror}") from error
        if len(data) < length:
            raise BlobGone("the log file was truncated after it was read")
        return data

    def beside(self, file: int, name: str) -> bytes:
        """The bytes that a VisualDL 1.x tablet keeps in a file of its own; raises BlobGone, TooLarge."""
        # The name is a number; anything else could point out of the folder.
        if not (name.isascii() and name.isdigit()):
            raise BlobGone("nothing was recorded")
        folder = self._path(self._file(file)).rpartition("/")[0]
        try:
            handle = self._opened(f"{folder}/binary_records/{name}", self._file(file))
            try:
                size = os.fstat(handle).st_size
                if size > MOST_BYTES:
                    raise TooLarge(f"the file has {size:,} bytes; the limit is {MOST_BYTES:,}")
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
        folder = os.path.realpath(self._folder(self._file(file)))
        short_name = name[:200]
        try:
            path = os.path.realpath(f"{folder}/{name}" if not name.startswith("/") else name)
        except ValueError as error:
            raise BlobGone(f"{short_name!r} is not the name of a file") from error
        if not name or not path.startswith(f"{folder.rstrip('/')}/"):
            raise BlobGone(f"{short_name!r} is outside the run directory and is not read")
        try:
            handle = open_log(path)
        except OSError as error:
            raise BlobGone(f"{short_name!r} cannot be opened: {error.strerror}") from error
        if not lies_inside(folder, handle) or not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise BlobGone(f"{short_name!r} is not a file in the run directory")
        return handle

    def _file(self, file: int) -> BlobFile:
        if file not in self._files:
            raise BlobGone("the log file no longer exists")
        return self._files[file]

    def _path(self, file: BlobFile) -> str:
        return self._dirs.path_of(file.name)

    def _folder(self, file: BlobFile) -> str:
        path = self._path(file)
        if file.dialect not in TRACKER_DIALECTS:
            return path.rpartition("/")[0]
        # The log may be a folder itself, and a run of a store has its name below that of the store.
        top = self._dirs.top_of(file.name)
        while not os.path.isdir(path) and len(path) > len(top):  # noqa: PTH112 - paths are texts here
            path = path.rpartition("/")[0]
        return path

    def _opened(self, path: str, file: BlobFile) -> int:
        handle = open_log(path)
        if not self._dirs.holds(file.name, handle):
            os.close(handle)
            raise BlobGone("the file has been moved out of the base directory")
        return handle

    def _handle(self, file: int, indexed: BlobFile) -> int:
        if self._open is not None and self._open[0] == file:
            return self._open[1]
        self._close()
        try:
            handle = self._opened(self._path(indexed), indexed)
        except OSError as error:
            raise BlobGone(f"the log file cannot be opened: {error.strerror}") from error
        self._open = file, handle
        try:
            is_same = _is_same(handle, indexed)
        except OSError as error:
            raise BlobGone(f"the log file cannot be read: {error.strerror}") from error
        if not is_same:
            self._close()
            raise BlobGone("the log file has been replaced since it was read; it will be reloaded in a moment")
        return handle

    def _close(self) -> None:
        if self._open is not None:
            os.close(self._open[1])
            self._open = None


def _is_same(handle: int, indexed: BlobFile) -> bool:
    """Whether a file is the one that the index read; by its content where it was touched without growing."""
    status = os.fstat(handle)
    if status.st_size < indexed.position or mark(handle, indexed.position) != indexed.mark:
        return False
    if inode(status) == indexed.inode and (status.st_size > indexed.size or status.st_ctime_ns == indexed.ctime_ns):
        return True
    return indexed.position <= MOST_BYTES and content_checksum(handle, indexed.position) == indexed.checksum


def _read(handle: int, offset: int, length: int) -> bytes:
    """The bytes at a place, fewer where the file ends."""
    data = os.pread(handle, length, offset)
    while 0 < len(data) < length and (more := os.pread(handle, length - len(data), offset + len(data))):
        data += more  # the system gives at most two gigabytes at a time, and may give less
    return data


def references(lane: Lane, segments: Mapping[int, Sequence[Segment]]) -> NDArray[Any]:
    """The references of all blobs of a lane, file by file in the order of writing."""
    parts = [np.zeros(0, REFERENCE)]
    for series in lane.series:
        for segment in segments.get(series.file, ()):
            if (columns := segment.blobs(series.number)) is not None:
                rows = np.empty(len(columns.steps), REFERENCE)
                rows["file"], rows["offset"], rows["length"] = series.file, columns.offsets, columns.lengths
                parts.append(rows)
    return np.concatenate(parts)


class BlobPlace(NamedTuple):
    """Where a blob stands among the series of its file."""

    number: int  # of the series
    step: int


def place_of(segments: Iterable[Segment], reference: Reference) -> BlobPlace | None:
    """The series and the step that have exactly this blob, None when none has."""
    for segment in segments:
        (places,) = np.nonzero(segment.blob_offsets == reference.offset)
        for place in places.tolist():  # one, or the parts of a lineage event
            wall = np.float64(reference.wall_time)
            is_same = segment.blob_walls[place : place + 1].tobytes() == wall.tobytes()
            if segment.blob_lengths[place] == reference.length and is_same:
                series = np.searchsorted(segment.blob_starts, place, "right") - 1
                return BlobPlace(int(segment.blob_numbers[series]), int(segment.blob_steps[place]))
    return None
