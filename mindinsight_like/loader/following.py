"""Incremental reads of log files: each slice starts where the last one ended."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindinsight_like.loader.discovery import FoundFile
from mindinsight_like.loader.scanner_cache import ScannerCache
from mindinsight_like.loader.verification import Verification
from mindinsight_like.logs import run_states
from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.logs.batch import Batch, blobs_at, one_blob
from mindinsight_like.logs.checksums import crc32c, crc32c_of_zeros
from mindinsight_like.logs.kinds import Dialect, Kind, series_key
from mindinsight_like.logs.names import legacy_tag
from mindinsight_like.logs.paths import inode, mark, mark_of, open_log
from mindinsight_like.logs.scanner import Scanner
from mindinsight_like.logs.whole_files import WHOLE_FILES
from mindinsight_like.store.files import FileUpdate, Pace, SeriesKeys, TrackedFile, Trouble

if TYPE_CHECKING:
    from mindinsight_like.logs.projector_config import ListedEmbedding

_READ_BYTES = 512 * 1024  # read and scanned while still in the second level cache: 0.29 s instead of 0.46 s for 214 MB
_LEAST_BYTES = 256
_SETTLED_NS = 3_000_000_000
_LONGEST_NAME = 4096  # bytes
_MANY_KEYS = 1000  # fewer are quickly loaded when the file grows


@dataclass(frozen=True)
class SliceLimits:
    """A slice ends when any of these is reached, so that no other file is kept waiting and memory stays bounded."""

    seconds: float = 0.5
    bytes: int = 64 * 1024 * 1024
    points: int = 1_000_000  # scalars and blobs
    keys: int = 10_000  # series that are new; each becomes a row of the database

    @property
    def read_bytes(self) -> int:
        """How much is read at once; never less than a scanner needs to go on."""
        return max(_LEAST_BYTES, min(_READ_BYTES, self.bytes))


class LogReading:
    """Turns new bytes of log files into updates of the index; one buffer serves all files."""

    def __init__(
        self,
        dirs: BaseDirs,
        keys: Callable[[TrackedFile], list[bytes]],
        limits: SliceLimits = SliceLimits(),  # noqa: B008 - it cannot be changed
    ) -> None:
        self._dirs = dirs
        self._limits = limits
        self._keys = keys
        self._buffer = bytearray(_READ_BYTES)
        self._head_bytes = 0  # how many of the buffer are the first ones of the file at hand
        self._scanners = ScannerCache()
        self._verification = Verification(limits.seconds)

    def read(self, entry: FoundFile, tracked: TrackedFile | None) -> FileUpdate | None:
        """The next slice of what the file has beyond what is known of it; None when there is nothing to store.

        The update has to be stored before the next slice of the same file is read. `update.file.is_partial` says
        whether there is one, `is_verifying` whether a file without an update has to be read on all the same.
        """
        file = tracked or TrackedFile(entry.name, entry.run, entry.kind.dialect, entry.kind.rank, entry.kind.created)
        path = self._dirs.path_of(entry.name)
        is_reported = tracked is not None and not tracked.is_partial and tracked.size == entry.size
        try:
            handle = open_log(path)
        except OSError as error:
            self.forget(entry.name)
            if is_reported or isinstance(error, FileNotFoundError):
                return None
            return _unreadable(file, entry.size, f"the file cannot be opened: {error.strerror}")
        try:
            if self._dirs.holds(entry.name, handle):
                return self._slice(handle, file)
            self.forget(entry.name)
            return None
        except OSError as error:
            return None if is_reported else _unreadable(file, entry.size, f"the file cannot be read: {error.strerror}")
        finally:
            os.close(handle)

    def is_verifying(self, name: str) -> bool:
        """Whether only some of a file has been compared with what was read of it before."""
        return self._verification.is_unfinished(name)

    def forget(self, name: str) -> None:
        """Drop what is known of a file that is gone."""
        self._verification.forget(name)

    def is_unchanged(self, file: TrackedFile) -> bool | None:
        """Whether a file that rests still has the bytes that were read; None when that cannot be told yet."""
        try:
            handle = open_log(self._dirs.path_of(file.name))
        except OSError:
            return None
        try:
            status = os.fstat(handle)
            is_same = _is_untouched(file, status) and self._dirs.holds(file.name, handle)
            return self._verification.has_content(handle, file, status) if is_same else None
        except OSError:
            return None
        finally:
            os.close(handle)

    def _slice(self, handle: int, file: TrackedFile) -> FileUpdate | None:
        self._head_bytes = 0
        status = os.fstat(handle)
        size = status.st_size
        if file.dialect in WHOLE_FILES:
            return _as_one_record(handle, file, status)
        if file.dialect == Dialect.RUN_STATE:
            return _run_state(handle, file, status)
        is_tablet = file.dialect == Dialect.VISUALDL_LEGACY
        starts_over = file.position > 0 and (is_tablet or self._is_other(handle, file, status))
        if starts_over is None:
            return None
        is_verified = starts_over or file.position == 0 or (file.is_verified and _is_untouched(file, status))
        if starts_over:
            file = file._replace(position=0, damaged=False, damages=0, mark=b"", display_name="", checksum=0, pace=b"")
        scanner = self._scanner(file, is_tablet)
        at_least = size if is_tablet else self._limits.read_bytes
        is_done, checksum = self._fill(handle, scanner, size, at_least=at_least, checksum=file.checksum)
        batch = scanner.take()
        file = file._replace(
            size=size,
            mtime_ns=status.st_mtime_ns,
            position=scanner.offset,
            damaged=scanner.damaged,
            mark=self._mark(handle, scanner.offset),
            is_partial=not is_done,
            checksum=checksum,
            is_verified=is_verified and is_settled(status),
            inode=inode(status),
            ctime_ns=status.st_ctime_ns,
            pace=Pace.unpack(file.pace).with_batch(batch).pack(),
        )
        if file.dialect == Dialect.VISUALDL and (named := _display_name(handle, batch, scanner)):
            file = file._replace(display_name=named)
        if file.is_partial or len(scanner) >= _MANY_KEYS:
            self._scanners.put(file, scanner)
        # A scanner that is not needed any more is not left in memory until the commit: the next one takes its place.
        keys = batch.keys if len(batch.keys) == len(scanner) else scanner
        return FileUpdate(file, batch, keys, starts_over)

    def _mark(self, handle: int, position: int) -> bytes:
        """The mark of a file; small ones, of which there are many, are still in the buffer as a whole."""
        if position <= self._head_bytes:
            return mark_of(memoryview(self._buffer)[:position])
        return mark(handle, position)

    def _is_other(self, handle: int, file: TrackedFile, status: os.stat_result) -> bool | None:
        """Whether this is no longer the file that was read up to the position; None until that is known.

        A file that has grown is only looked at where it begins and where reading stopped, as this happens all day
        long; `Loader` has its content verified once it rests. In all other cases every byte counts.
        """
        if status.st_size < file.position or mark(handle, file.position) != file.mark:
            return True
        has_grown = file.inode == inode(status) and status.st_size > file.size
        if has_grown or _is_untouched(file, status):
            return False
        has_content = self._verification.has_content(handle, file, status)
        return None if has_content is None else not has_content

    def _scanner(self, file: TrackedFile, is_tablet: bool) -> Scanner:
        scanner = self._scanners.take(file) if file.position > 0 else None
        if scanner is not None:
            return scanner
        keys = [] if file.position == 0 else self._keys(file)
        tag = legacy_tag(file.name.rpartition("/")[2]) if is_tablet else ""
        return Scanner(int(file.dialect), keys, offset=file.position, damaged=file.damaged, tag=tag)

    def _fill(self, handle: int, scanner: Scanner, size: int, *, at_least: int, checksum: int) -> tuple[bool, int]:
        """Feed the scanner until it has a slice; whether the end of the file was reached, and the new checksum."""
        limits = self._limits
        end, deadline = scanner.offset + limits.bytes, time.monotonic() + limits.seconds
        while True:
            if scanner.damaged and (zeros := _skip_hole(handle, scanner, size)):
                checksum = crc32c_of_zeros(zeros, checksum)
            # `wanted` is as long as a record says it is: never take more memory for it than the file has bytes.
            count = min(max(at_least, scanner.wanted), size - scanner.offset)
            view = self._bytes_at(handle, scanner.offset, count)
            at_end = scanner.offset + len(view) >= size or len(view) < count  # the file was cut meanwhile
            consumed = scanner.feed(view, at_end=at_end)
            checksum = crc32c(view[:consumed], checksum)
            if at_end or (consumed == 0 and scanner.wanted <= len(view)):
                return True, checksum
            is_full = scanner.pending >= limits.points or scanner.new_keys >= limits.keys
            # Not before something was consumed: a slice that ends inside a long record would end there for ever.
            if consumed and (is_full or scanner.offset >= end or time.monotonic() > deadline):
                return False, checksum

    def _bytes_at(self, handle: int, position: int, count: int) -> memoryview:
        buffer = self._buffer if count <= len(self._buffer) else bytearray(count)
        view, read = memoryview(buffer)[: max(count, 0)], 0
        while read < len(view) and (more := os.preadv(handle, [view[read:]], position + read)):
            read += more
        self._head_bytes = read if position == 0 and buffer is self._buffer else 0
        return view[:read]


def _is_untouched(file: TrackedFile, status: os.stat_result) -> bool:
    return (file.size, file.inode, file.ctime_ns) == (status.st_size, inode(status), status.st_ctime_ns)


def is_settled(status: os.stat_result) -> bool:
    """Whether a later change of a file would show in its time, which comes in steps of up to two seconds."""
    return abs(time.time_ns() - status.st_ctime_ns) > _SETTLED_NS


def _skip_hole(handle: int, scanner: Scanner, size: int) -> int:
    """Let a scanner that looks for the end of damage pass over a hole of a sparse file, which reads as zeros.

    Gives how many there were.
    """
    try:
        data = os.lseek(handle, scanner.offset, os.SEEK_DATA)
    except OSError as error:
        if error.errno != errno.ENXIO:
            return 0  # the file system does not tell
        data = size  # nothing but a hole up to the end
    before = scanner.offset
    scanner.skip_zeros(min(data, size) - before)
    return scanner.offset - before


def _display_name(handle: int, batch: Batch, keys: SeriesKeys) -> str:
    """The name that a log gives its run in what was just read: VisualDL writes one when it opens a file."""
    for place, number in enumerate(batch.blob_numbers.tolist()):
        if keys[number][0] == Kind.META:
            from mindinsight_like.logs.visualdl_values import display_name  # slow to import

            last = int(batch.blob_starts[place + 1]) - 1
            length = min(int(batch.blob_lengths[last]), _LONGEST_NAME)
            return display_name(os.pread(handle, length, int(batch.blob_offsets[last])))
    return ""


def _as_one_record(handle: int, file: TrackedFile, status: os.stat_result) -> FileUpdate:
    """A file that is one record as a whole, or a list of them.

    Nobody can tell where in it something changed, so it always starts over.
    """
    size, starts_over = status.st_size, file.position > 0
    file = file._replace(
        size=size,
        mtime_ns=status.st_mtime_ns,
        position=size,
        damages=0,
        mark=mark(handle, size),
        inode=inode(status),
        ctime_ns=status.st_ctime_ns,
        is_verified=True,  # a file of another time is read anew in any case
    )
    if size == 0:
        return FileUpdate(file, starts_over=starts_over)
    kind, name = WHOLE_FILES[file.dialect], file.name.rpartition("/")[2]
    if file.dialect == Dialect.PROJECTOR_CONFIG and (listed := _listed(handle, size)):
        keys = [series_key(kind, entry.tag or name) for entry in listed]
        lengths = [entry.end - entry.begin for entry in listed]
        steps, begins = [entry.step for entry in listed], [entry.begin for entry in listed]
        batch = blobs_at(keys, steps, begins, lengths, status.st_mtime_ns / 1e9)
        return FileUpdate(file, batch, batch.keys, starts_over)
    key = series_key(kind, "record" if file.dialect == Dialect.LINEAGE_RECORD else name)
    return FileUpdate(file, one_blob(key, size, status.st_mtime_ns / 1e9), [key], starts_over)


def _run_state(handle: int, file: TrackedFile, status: os.stat_result) -> FileUpdate:
    """A file with a run state; what it said last counts when it says nothing of use."""
    writer_state = run_states.parse(os.pread(handle, run_states.MOST_BYTES, 0)) or file.writer_state
    return FileUpdate(
        file._replace(
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            position=status.st_size,
            inode=inode(status),
            ctime_ns=status.st_ctime_ns,
            mark=b"",
            is_verified=True,
            writer_state=writer_state,
        )
    )


def _listed(handle: int, size: int) -> list[ListedEmbedding]:
    """The embeddings in a projector's list; none when it cannot be understood, and looking at it will say why."""
    from mindinsight_like.logs.projector_config import MOST_BYTES, BadConfig, listed_embeddings  # few folders have one

    try:
        return listed_embeddings(os.pread(handle, size, 0)) if size <= MOST_BYTES else []
    except BadConfig:
        return []


def _unreadable(file: TrackedFile, size: int, message: str) -> FileUpdate:
    """The warning about a file; its time stays unknown, so that it is tried again in every round."""
    trouble = Trouble(file.position, "unreadable", message)
    return FileUpdate(file._replace(size=size, mtime_ns=0, is_partial=False), troubles=(trouble,))
