"""Segments of an index, read from the database or memory-mapped, through the segment cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from mindinsight_like.errors import StillLoading
from mindinsight_like.store.database.connections import IndexConnection
from mindinsight_like.store.segments import segments
from mindinsight_like.store.segments.sealed_segments import MappedSegment, from_bytes, from_file
from mindinsight_like.store.segments.sealing import BrokenSeal, file_state
from mindinsight_like.store.segments.segment_cache import SegmentCache
from mindinsight_like.store.segments.segments import Segment

CACHE_BYTES = 128 * 1024 * 1024
_COST_OF_MAPPED = 256 * 1024  # a mapped file takes no memory of its own but a file descriptor
# A merge or a repair may replace segments between the look into the directory and the look into them.
_MOST_REPLACEMENTS = 50
_TRIES = 5  # of a segment that has not been replaced

_Answer = TypeVar("_Answer")


class SegmentGone(Exception):
    """A segment is not there or damaged; perhaps it was merged into another since its row was read."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class SegmentAccess:
    """Reads the segments of log files."""

    def __init__(self, connection: IndexConnection, *, cache_bytes: int = CACHE_BYTES) -> None:
        self._connection = connection
        self._cache = SegmentCache(cache_bytes)

    def read(self, files: Iterable[int]) -> dict[int, list[Segment]]:
        """The segments of some log files in file order, from the cache where they are there."""
        rows = self._connection.query_many(
            "SELECT id, file, data IS NULL FROM segments WHERE file IN ({}) ORDER BY place", files
        )
        # Kept hold of at once: a cache that is too small for all of them drops some while others are put into it.
        decoded = {segment: columns for segment, _, _ in rows if (columns := self._cache.get(segment)) is not None}
        inline = [segment for segment, _, is_file in rows if not is_file and segment not in decoded]
        for segment, data in self._connection.query_many("SELECT id, data FROM segments WHERE id IN ({})", inline):
            try:
                decoded[segment] = from_bytes(bytes(data), segment)
            except segments.BadSegment as error:
                raise SegmentGone(segment) from error
            self._cache.put(segment, decoded[segment], len(data))
        by_file: dict[int, list[Segment]] = {}
        for segment, file, is_file in rows:
            columns = decoded.get(segment)
            if columns is None or (is_file and self._has_changed(segment, columns)):
                columns = self._map(segment)
            by_file.setdefault(file, []).append(columns)
        self._connection.refuse_damaged(by_file)
        return by_file

    def _map(self, segment: int) -> Segment:
        path = self._connection.location.segments / str(segment)
        try:
            state = file_state(path)
            columns = from_file(segments.map_file(path), segment, state)
        except (OSError, ValueError, segments.BadSegment) as error:  # an empty file cannot be mapped
            raise SegmentGone(segment) from error
        self._cache.drop(segment)
        self._cache.put(segment, columns, _COST_OF_MAPPED)
        return columns

    def _has_changed(self, segment: int, columns: Segment) -> bool:
        """Whether a mapped file has been written to since, or is gone; what was verified counts for nothing then."""
        try:
            state = file_state(self._connection.location.segments / str(segment))
        except FileNotFoundError:
            return True
        return not isinstance(columns, MappedSegment) or columns.file_state != state

    def retry(self, answer: Callable[[], _Answer]) -> _Answer:
        """The answer, looked for again when segments were replaced while it was made.

        A segment that stays damaged is reported to the loader, which reads its log file again; raises Rebuilding.
        """
        failures = replacements = 0
        while failures < _TRIES and replacements < _MOST_REPLACEMENTS:
            try:
                return answer()
            except (SegmentGone, BrokenSeal) as error:
                number = error.number
            self._cache.drop(number)
            rows = self._connection.query("SELECT file FROM segments WHERE id = ?", (number,))
            failures += bool(rows)
            replacements += not rows
        if rows:
            self._connection.repairs.request_file(rows[0][0])
            self._connection.refuse_damaged(rows[0])
        raise StillLoading("the index is being rearranged; try again in a moment")
