"""Reading side of a spool: entries in order, sent again until they are acknowledged."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import struct
from collections.abc import Container, Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import IO, Final

from mindinsight_like.logs.framing import masked_crc32c
from mindinsight_like.profiler.collector.spool import HEAD, Entry, Kind, SpoolInfo, is_held, locked, segments

_LENGTH: Final = struct.Struct("<QI")
_CHECKSUM: Final = struct.Struct("<I")
_ACKNOWLEDGED: Final = struct.Struct("<Q")


class SpoolReader:
    """The end of a spool from which entries are sent; one at a time has it."""

    def __init__(self, folder: Path) -> None:
        """Raises BlockingIOError while another has it, OSError or ValueError for what is no spool."""
        self.folder = folder
        self.info = SpoolInfo(**json.loads((folder / "about.json").read_bytes()))
        lock = locked(folder / "courier.lock")
        if lock is None:
            raise BlockingIOError(f"{folder} is in use by another courier")
        self._lock_file = lock
        self._marker = os.fdopen(os.open(folder / "acknowledged", os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
        stored = self._marker.read(_ACKNOWLEDGED.size)
        self.acknowledged = _ACKNOWLEDGED.unpack(stored)[0] if len(stored) == _ACKNOWLEDGED.size else 0
        self.dropped = 0
        self._counted = self.acknowledged  # up to which number gaps are counted
        self._is_behind_gap = False  # until what may be missing has been repeated
        self._is_repeating = False
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
        self._is_behind_gap = self._is_repeating = False

    def read(self, most_bytes: int) -> list[Entry]:
        """The next entries, at least one if there is any."""
        entries: list[Entry] = []
        size = 0
        for entry in chain([self._next] if self._next else [], self._entries()):
            self._next = None
            entries.append(entry)
            size += len(entry.content) + int(entry.metadata.get("length", 0)) + 200
            if size >= most_bytes:
                break
        return entries

    def acknowledge(self, sequence: int) -> None:
        """The service has all up to this one."""
        if sequence <= self.acknowledged:
            return
        self.acknowledged = sequence
        os.pwrite(self._marker.fileno(), _ACKNOWLEDGED.pack(sequence), 0)
        for path, following in pairwise(segments(self.folder)):
            if int(following.stem) > sequence + 1:
                break
            path.unlink(missing_ok=True)

    @property
    def is_written(self) -> bool:
        """Whether its writer still lives."""
        return is_held(self.folder / "writer.lock")

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
            if self._file is None and not self._open_segment(self._later_segments()):
                return
            assert self._file is not None
            entry = _read_entry(self._file)
            if entry is None:  # not there yet, or the end of the segment
                later = self._later_segments()
                # Once there are later segments nothing is added to this one; until then it may have grown.
                entry = _read_entry(self._file) if later else None
                if entry is None:
                    if not self._open_segment(later):
                        return
                    continue
            if entry.sequence > self._last:
                yield self._advance(entry)

    def _advance(self, entry: Entry) -> Entry:
        """The entry, which is the next; blocks that are repeated count where those they repeat may be missing."""
        if entry.sequence > self._last + 1:
            self._is_behind_gap = True
            self.dropped += max(0, entry.sequence - 1 - max(self._last, self._counted))
        self._last = entry.sequence
        self._counted = max(self._counted, entry.sequence)
        if entry.kind is Kind.REPEATED:
            self._is_repeating = self._is_behind_gap
            return entry._replace(kind=Kind.BLOCK) if self._is_repeating else entry
        if self._is_repeating:
            self._is_behind_gap = self._is_repeating = False
        return entry

    def _later_segments(self) -> list[Path]:
        """Those after the open one, or from that with the first entry not read yet."""
        paths = segments(self.folder)
        if self._file is not None:
            return [path for path in paths if int(path.stem) > self._first]
        begun = [path for path in paths if int(path.stem) <= self._last + 1]
        return [*begun[-1:], *paths[len(begun) :]]

    def _open_segment(self, later: list[Path]) -> bool:
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


def leftovers(folder: Path, server: str, *, besides: Container[str] = ()) -> Iterator[SpoolReader]:
    """Spools for this server whose writers have ended and that nobody sends; those of some names are left alone."""
    for path in sorted(folder.glob("*/about.json")):
        if path.parent.name in besides:
            continue
        with contextlib.suppress(OSError, ValueError, TypeError):
            # Looked at first: even for a moment, nobody may take the spool of a writer that is just beginning.
            if is_held(path.parent / "writer.lock"):
                continue
            reader = SpoolReader(path.parent)
            if reader.info.server == server:
                yield reader
            else:
                reader.close()


def _read_entry(file: IO[bytes]) -> Entry | None:
    """The entry at the place of the file; None, and the place is kept, where there is no whole one."""
    place = file.tell()
    payload = _read_payload(file)
    if payload is None:
        file.seek(place)
        return None
    sequence, kind, metadata_bytes = HEAD.unpack_from(payload)
    begin = HEAD.size + metadata_bytes
    return Entry(sequence, Kind(kind), json.loads(payload[HEAD.size : begin]), payload[begin:])


def _read_payload(file: IO[bytes]) -> bytes | None:
    head = file.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    length, checksum = _LENGTH.unpack(head)
    if checksum != masked_crc32c(head[:8]) or not HEAD.size <= length <= os.fstat(file.fileno()).st_size:
        return None
    content = file.read(length + _CHECKSUM.size)
    if len(content) < length + _CHECKSUM.size:
        return None
    payload = content[:length]
    return payload if _CHECKSUM.unpack(content[length:])[0] == masked_crc32c(payload) else None
