"""Stored points of one series as parts of a curve, split at session starts, with what these hide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mindinsight_like.logs.batch import BLOCK
from mindinsight_like.store.segments.segments import Ints, ScalarColumns, Segment, summarise
from mindinsight_like.store.series.points import Part, Points

_NO_BLOCKS = np.zeros(0, BLOCK)
_NO_SESSIONS = np.zeros(0, np.uint32)
_NO_LIMIT = np.iinfo(np.int64).max


def scalar_points(segments: Sequence[Segment], number: int) -> Points:
    """The scalars of one series in the segments of a log file, whatever session starts hide of them."""
    return Points([Part(columns) for segment in segments if (columns := segment.scalars(number)) is not None])


def blob_points(segments: Sequence[Segment], number: int) -> Points:
    """The same for blobs; the values are their places in the log file."""
    return Points([Part(columns) for segment in segments if (columns := _blobs(segment, number)) is not None])


def scalar_parts(segments: Sequence[Segment], number: int, *, file: int, limit: int | None) -> Iterator[Part]:
    """The scalars of one series, `file` being the place of the log file in the curve.

    `limit`: files that come later hide what is there from this step on. A session start inside the file does the
    same to the points before it.
    """
    limits = _Limits(segments, limit)
    for segment in segments:
        columns = segment.scalars(number)
        if columns is not None and not len(columns.sessions):
            yield Part(columns, file, limits.after(len(segment.starts)))
        elif columns is not None:
            borders = np.flatnonzero(np.diff(columns.sessions)) + 1
            for low, high in zip([0, *borders.tolist()], [*borders.tolist(), len(columns.steps)], strict=True):
                yield Part(_cut(columns, low, high), file, limits.after(int(columns.sessions[low])))
        limits.go_on(segment)


def blob_parts(segments: Sequence[Segment], number: int, *, file: int, limit: int | None) -> Iterator[Part]:
    """The same for blobs, whose places in the log file tell which of them a session start hides."""
    limits = _Limits(segments, limit)
    for segment in segments:
        columns = _blobs(segment, number)
        if columns is not None:
            borders = np.unique(np.searchsorted(columns.values, segment.starts["offset"])).tolist()
            borders = [border for border in borders if 0 < border < len(columns.steps)]
            for low, high in zip([0, *borders], [*borders, len(columns.steps)], strict=True):
                before = int(np.searchsorted(segment.starts["offset"], columns.values[low]))
                yield Part(_cut(columns, low, high) if borders else columns, file, limits.after(before))
        limits.go_on(segment)


class _Limits:
    """From which step on points are hidden, by the number of starts before them."""

    def __init__(self, segments: Sequence[Segment], limit: int | None) -> None:
        self._seen = 0  # starts in earlier segments
        self._limits: Ints | None = None
        if limit is not None or any(len(segment.starts) for segment in segments):
            steps = [segment.starts["step"] for segment in segments]
            later = np.concatenate([*steps, [_NO_LIMIT if limit is None else limit]])
            self._limits = np.minimum.accumulate(later[::-1])[::-1]

    def after(self, starts: int) -> int | None:
        """For points with so many starts of their segment before them."""
        step = _NO_LIMIT if self._limits is None else int(self._limits[self._seen + starts])
        return None if step == _NO_LIMIT else step

    def go_on(self, segment: Segment) -> None:
        self._seen += len(segment.starts)


def _blobs(segment: Segment, number: int) -> ScalarColumns | None:
    columns = segment.blobs(number)
    if columns is None:
        return None
    breaks = np.flatnonzero(columns.steps[1:] <= columns.steps[:-1]) + 1
    return ScalarColumns(columns.steps, columns.walls, columns.offsets, _NO_BLOCKS, breaks, _NO_SESSIONS)


def _cut(columns: ScalarColumns, low: int, high: int) -> ScalarColumns:
    values, breaks = columns.values[low:high], columns.breaks
    blocks = summarise(values, np.array([0, high - low])) if len(columns.blocks) else _NO_BLOCKS
    inside = breaks[(breaks > low) & (breaks < high)] - low
    return ScalarColumns(columns.steps[low:high], columns.walls[low:high], values, blocks, inside, _NO_SESSIONS)
