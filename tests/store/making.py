"""Batches and segments for the tests of the store, read by the real scanner from logs made here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mindinsight_like.logs.batch import Batch
from mindinsight_like.logs.kinds import Dialect, Kind, series_key
from mindinsight_like.logs.scanner import Scanner
from mindinsight_like.store.files import FileUpdate, TrackedFile
from mindinsight_like.store.segments.segments import ScalarColumns, summarise
from mindinsight_like.store.series.points import Part
from mindinsight_like.writers.encoding import tensorboard

WALL = 1_700_000_000.0

Point = tuple[str, int, float]  # tag, step, value; wall times follow from the order


def record(point: Point, place: int = 0) -> bytes:
    """One scalar in double precision, logged `place` seconds after the start."""
    tag, step, value = point
    event = tensorboard.event([tensorboard.double_scalar(tag, value)], step=step, wall_time=WALL + place)
    return tensorboard.frame(event)


def batches(*pieces: Sequence[Point], keys: Sequence[bytes] = (), first: int = 0) -> list[Batch]:
    """What one scanner finds in a log that grows piece by piece."""
    scanner = Scanner(int(Dialect.TENSORBOARD), keys)
    found, place = [], first
    for piece in pieces:
        log = b"".join(record(point, place + index) for index, point in enumerate(piece))
        place += len(piece)
        assert scanner.feed(log, at_end=True) == len(log)
        found.append(scanner.take())
    return found


class GrowingLog:
    """A log file whose points reach the store piece by piece, as the loader would hand them over."""

    def __init__(
        self,
        name: str,
        dialect: Dialect = Dialect.TENSORBOARD,
        rank: int | None = None,
        created_at: float | None = WALL,
    ) -> None:
        self.file = TrackedFile(name, name.rpartition("/")[0] or ".", dialect, rank, created_at)
        self.keys: list[bytes] = []
        self.seconds = 0

    def update(self, points: Iterable[Point] = (), *, starts_over: bool = False) -> FileUpdate:
        """The update with further points; take `stored` over before the next one."""
        if starts_over:
            self.keys, self.seconds = [], 0
        chosen = list(points)
        (batch,) = batches(chosen, keys=self.keys, first=self.seconds)
        return self.update_of(batch, seconds=len(chosen), starts_over=starts_over)

    def update_of(self, batch: Batch, *, seconds: int = 0, starts_over: bool = False) -> FileUpdate:
        self.keys = [*self.keys, *batch.keys]
        self.seconds += seconds
        position = 100 * self.seconds
        file = self.file._replace(size=position, position=position, mtime_ns=int((WALL + self.seconds) * 1e9))
        return FileUpdate(file, batch, self.keys, starts_over)

    def stored(self, file: TrackedFile) -> None:
        self.file = file


def columns(steps: ArrayLike, values: ArrayLike | None = None, walls: ArrayLike | None = None) -> ScalarColumns:
    """Columns as a segment would hold them for these points."""
    step_column = np.asarray(steps, np.int64)
    value_column = np.asarray(step_column if values is None else values, np.float64)
    breaks = np.flatnonzero(step_column[1:] <= step_column[:-1]) + 1
    wall_column = (
        WALL + np.arange(len(step_column), dtype=np.float64) if walls is None else np.asarray(walls, np.float64)
    )
    blocks = summarise(value_column, np.array([0, len(value_column)]))
    return ScalarColumns(step_column, wall_column, value_column, blocks, breaks, np.zeros(0, np.uint32))


def part(
    steps: ArrayLike,
    values: ArrayLike | None = None,
    walls: ArrayLike | None = None,
    *,
    file: int = 0,
    limit: int | None = None,
) -> Part:
    return Part(columns(steps, values, walls), file, limit)


def assert_same_column(one: NDArray[Any], other: NDArray[Any]) -> None:
    """Equal in every field, NaN in the same places included."""
    if one.dtype.names is None:
        np.testing.assert_array_equal(one, other)
        return
    for name in one.dtype.names:
        np.testing.assert_array_equal(one[name], other[name], name)


def scalar_key(tag: str) -> bytes:
    return series_key(Kind.SCALAR, tag)
