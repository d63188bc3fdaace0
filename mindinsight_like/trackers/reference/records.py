"""Scan of W&B's and SwanLab's logs in Python, the reference of the native module.

A log consists of blocks of 32 KiB, counted from the first byte of the file. A block consists of chunks: u32 CRC-32 of
type and content, u16 length, u8 type, content; less than seven bytes at its end are filler. A record is one full chunk
or a first, any middle ones and a last.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from mindinsight_like.trackers.record_logs import BLOCK_BYTES, HEADER_BYTES, Memory, Region, Scanned
from mindinsight_like.trackers.reference.record_contents import Contents

_FULL, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4
_CHECKSUM, _LENGTH, _UNPARSABLE = 1, 2, 3  # index batch.DAMAGE_KINDS
_SEARCHED_BYTES = 1 << 18  # of checksums per block, in the search for its next chunk


def scan(data: bytes, offset: int, layout: int, at_end: bool, memory: Memory) -> Scanned:
    """See `record_logs.scan`."""
    walk = _Walk(data, offset, at_end, memory.damaged)
    contents = Contents(layout, memory)
    for begin, end, record in walk.records():
        if contents.read(record):
            walk.intact_at(begin)
        else:
            walk.damaged_at(begin, _UNPARSABLE)
        walk.consumed = end
    return contents.scanned(walk.consumed, walk.damaged, walk.regions)


class _Walk:
    def __init__(self, data: bytes, offset: int, at_end: bool, damaged: bool) -> None:
        self._data = data
        self._offset = offset
        self._at_end = at_end
        self.damaged = damaged
        self.regions: list[Region] = []
        self.consumed = 0
        self._warned_here = False

    def records(self) -> Iterator[tuple[int, int, bytes]]:
        """Begin, end and content of each whole record."""
        data, at = self._data, 0
        begin, parts = -1, b""  # of the record that the last chunk belongs to
        while True:
            left = self._left(at)
            if left < HEADER_BYTES:
                if at + left > len(data):
                    return
                at += left
            elif (end := self._chunk(at, left)) > at:
                kind = data[at + 6]
                content = data[at + HEADER_BYTES : end]
                if begin >= 0 and kind in (_FULL, _FIRST):
                    self.damaged_at(begin, _CHECKSUM)  # which has no end
                    begin = -1
                if kind == _FULL:
                    yield at, end, content
                elif kind == _FIRST:
                    begin, parts = at, content
                elif begin < 0:
                    self.damaged_at(at, _CHECKSUM)  # a record without a beginning
                else:
                    parts += content
                    if kind == _LAST:
                        yield begin, end, parts
                        begin = -1
                at = end
            elif end < 0:
                return
            else:
                cause = _CHECKSUM if self._is_whole(at, left) else _LENGTH
                if begin >= 0:
                    self.damaged_at(begin, cause)
                    begin = -1
                self.damaged_at(at, cause)
                self.consumed = at
                at = self._behind_damage(at, left)
                if at < 0:
                    return
            if begin < 0 and self.damaged:
                self.consumed = at

    def damaged_at(self, at: int, cause: int) -> None:
        """Warn of damage, once until an intact record ends the region."""
        if not self.damaged:
            self.regions.append(Region(self._offset + at, cause, -1))
            self.damaged = self._warned_here = True

    def intact_at(self, at: int) -> None:
        if self._warned_here:
            region = self.regions[-1]
            self.regions[-1] = region._replace(skipped=self._offset + at - region.offset)
        self.damaged = self._warned_here = False

    def _left(self, at: int) -> int:
        """Bytes from a place to the end of its block."""
        return BLOCK_BYTES - (self._offset + at) % BLOCK_BYTES

    def _chunk(self, at: int, left: int) -> int:
        """Where the chunk at a place ends; negative when more bytes have to come, the place when it is damaged."""
        data = self._data
        if at + HEADER_BYTES > len(data):
            return -1
        if not any(data[at : at + HEADER_BYTES]):
            return -1 if self._at_end and not data[at:].strip(b"\0") else at
        if not self._is_whole(at, left):
            return at
        end = at + HEADER_BYTES + int.from_bytes(data[at + 4 : at + 6], "little")
        if end > len(data):
            return -1
        if zlib.crc32(data[at + 6 : end]) == int.from_bytes(data[at : at + 4], "little"):
            return end
        # The content may be on its way.
        return -1 if self._at_end and end == len(data) and data[end - 1] == 0 else at

    def _is_whole(self, at: int, left: int) -> bool:
        """Whether type and length of a chunk may be true."""
        length = int.from_bytes(self._data[at + 4 : at + 6], "little")
        return _FULL <= self._data[at + 6] <= _LAST and length <= left - HEADER_BYTES

    def _behind_damage(self, at: int, left: int) -> int:
        """Where to go on behind a damaged chunk; negative when that has to wait for more bytes."""
        data = self._data
        if self._is_whole(at, left):
            next_at = at + HEADER_BYTES + int.from_bytes(data[at + 4 : at + 6], "little")
            if left - (next_at - at) < HEADER_BYTES or self._holds(next_at):
                return next_at
        end = at + left
        if end > len(data) and not self._at_end:
            return -1
        budget = _SEARCHED_BYTES
        for place in range(at + 1, min(end, len(data)) - HEADER_BYTES + 1):
            if budget > 0 and self._is_whole(place, end - place):
                budget -= HEADER_BYTES + int.from_bytes(data[place + 4 : place + 6], "little")
                if self._holds(place):
                    return place
        return end if end <= len(data) else -1

    def _holds(self, at: int) -> bool:
        """Whether an intact chunk begins at a place."""
        if at + HEADER_BYTES > len(self._data) or not self._is_whole(at, self._left(at)):
            return False
        end = at + HEADER_BYTES + int.from_bytes(self._data[at + 4 : at + 6], "little")
        checksum = int.from_bytes(self._data[at : at + 4], "little")
        return end <= len(self._data) and zlib.crc32(self._data[at + 6 : end]) == checksum
