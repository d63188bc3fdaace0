"""Segments: immutable pieces of the index that hold the columns of one log file's series.

A segment is a header, a directory (series numbers and where each begins), summaries, and the columns; all
arrays are padded to eight bytes so that they can be used in place, from a blob of the database or a mapped file.

    header    magic, bytes per value, series, blob series, blocks, breaks, points, blobs, starts, sessions
    scalars   numbers u4, starts i8 (one more), breaks i8, blocks, steps i8, walls f8, values f4 or f8
    blobs     numbers u4, starts i8 (one more), steps i8, walls f8, offsets i8, lengths i8
    sessions  SessionLog STARTs (step i8, wall f8, offset i8), and u4 for each point, or none: see `logs.batch`

Blobs stay in the log file; offsets and lengths say where.
"""

from __future__ import annotations

import errno
import mmap
import resource
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.batch import BLOCK, BLOCK_POINTS, NOWHERE, START, Batch

_HEADER = struct.Struct("<8sIIIIQQQQQ")
_U4, _I8, _F8 = np.dtype("<u4"), np.dtype("<i8"), np.dtype("<f8")
_VALUES: dict[int, np.dtype[Any]] = {4: np.dtype("<f4"), 8: _F8}
HEADER_BYTES = _HEADER.size
_WORTH_SHARING = 64 * 1024  # bytes; smaller arrays are quicker copied than shared
_MAGIC = b"MISEG\x02\0\0"

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class BadSegment(Exception):
    """The bytes are not a whole segment; the log file must be read again."""


@dataclass(frozen=True)
class ScalarColumns:
    """The points of one series in one segment, in file order."""

    steps: Ints
    walls: Floats
    values: NDArray[Any]
    blocks: NDArray[Any]  # summaries of each started 1024 points
    breaks: Ints  # positions where a step is not larger than the one before
    sessions: NDArray[np.uint32]  # for each point the starts of the segment before it; empty: all of them


@dataclass(frozen=True)
class BlobColumns:
    """Where the blobs of one series in one segment lie in the log file."""

    steps: Ints
    walls: Floats
    offsets: Ints
    lengths: Ints


@dataclass(frozen=True)
class Segment:
    scalar_numbers: NDArray[np.uint32]
    scalar_starts: Ints
    breaks: Ints
    blocks: NDArray[Any]
    steps: Ints
    walls: Floats
    values: NDArray[Any]
    blob_numbers: NDArray[np.uint32]
    blob_starts: Ints
    blob_steps: Ints
    blob_walls: Floats
    blob_offsets: Ints
    blob_lengths: Ints
    starts: NDArray[Any]
    sessions: NDArray[np.uint32]

    @property
    def points(self) -> int:
        return len(self.steps) + len(self.blob_steps)

    @cached_property
    def _block_starts(self) -> Ints:
        return np.concatenate(([0], np.cumsum(_blocks_per_series(self.scalar_starts))))

    def scalars(self, number: int) -> ScalarColumns | None:
        place = _place(self.scalar_numbers, number)
        if place is None:
            return None
        start, end = (int(at) for at in self.scalar_starts[place : place + 2])
        if len(self.scalar_numbers) == 1:
            first_block, last_block = 0, len(self.blocks)
        else:
            first_block, last_block = (int(at) for at in self._block_starts[place : place + 2])
        low, high = np.searchsorted(self.breaks, (start, end))
        return ScalarColumns(
            self.steps[start:end],
            self.walls[start:end],
            self.values[start:end],
            self.blocks[first_block:last_block],
            self.breaks[low:high] - start,
            self.sessions[start:end],
        )

    def blobs(self, number: int) -> BlobColumns | None:
        place = _place(self.blob_numbers, number)
        if place is None:
            return None
        part = slice(int(self.blob_starts[place]), int(self.blob_starts[place + 1]))
        return BlobColumns(
            self.blob_steps[part], self.blob_walls[part], self.blob_offsets[part], self.blob_lengths[part]
        )


def _place(numbers: NDArray[np.uint32], number: int) -> int | None:
    place = int(np.searchsorted(numbers, number))
    return place if place < len(numbers) and numbers[place] == number else None


def _blocks_per_series(starts: Ints) -> Ints:
    return -(-np.diff(starts) // BLOCK_POINTS)


def encode(part: Batch | Segment) -> list[bytes | memoryview]:
    """The bytes of a segment, as buffers to be written one after the other."""
    header = _HEADER.pack(
        _MAGIC,
        part.values.itemsize,
        len(part.scalar_numbers),
        len(part.blob_numbers),
        len(part.blocks),
        len(part.breaks),
        len(part.steps),
        len(part.blob_steps),
        len(part.starts),
        len(part.sessions),
    )
    arrays = (
        part.scalar_numbers,
        part.scalar_starts,
        part.breaks,
        part.blocks,
        part.steps,
        part.walls,
        part.values,
        part.blob_numbers,
        part.blob_starts,
        part.blob_steps,
        part.blob_walls,
        part.blob_offsets,
        part.blob_lengths,
        part.starts,
        part.sessions,
    )
    buffers: list[bytes | memoryview] = [header]
    for array in arrays:
        if not array.nbytes:
            continue
        if array.nbytes < _WORTH_SHARING:
            buffers.append(array.tobytes())
        else:
            buffers.append(np.ascontiguousarray(array).view(np.uint8).data)
        if array.nbytes % 8:
            buffers.append(bytes(-array.nbytes % 8))
    return buffers


def decode(data: bytes | mmap.mmap) -> Segment:
    """The columns inside a segment's bytes, not copied; raises BadSegment."""
    if len(data) < _HEADER.size or data[:8] != _MAGIC:
        raise BadSegment("not a segment")
    _, value_bytes, series, blob_series, blocks, breaks, points, blobs, starts, sessions = _HEADER.unpack(
        data[: _HEADER.size]
    )
    if value_bytes not in _VALUES:
        raise BadSegment(f"its values have {value_bytes} bytes")
    position = _HEADER.size

    def column(kind: np.dtype[Any], count: int) -> NDArray[Any]:
        nonlocal position
        size = count * kind.itemsize
        if position + size > len(data):
            raise BadSegment("the segment is truncated")
        values = np.frombuffer(data, kind, count, position)
        position += -(-size // 8) * 8
        return values

    return Segment(
        scalar_numbers=column(_U4, series),
        scalar_starts=column(_I8, series + 1),
        breaks=column(_I8, breaks),
        blocks=column(BLOCK, blocks),
        steps=column(_I8, points),
        walls=column(_F8, points),
        values=column(_VALUES[value_bytes], points),
        blob_numbers=column(_U4, blob_series),
        blob_starts=column(_I8, blob_series + 1),
        blob_steps=column(_I8, blobs),
        blob_walls=column(_F8, blobs),
        blob_offsets=column(_I8, blobs),
        blob_lengths=column(_I8, blobs),
        starts=column(START, starts),
        sessions=column(_U4, sessions),
    )


def map_file(path: Path) -> mmap.mmap:
    """A segment file mapped into memory; it stays readable after it was deleted."""
    try:
        return _map(path)
    except OSError as error:
        # Each mapping holds a file open, and a question may be about thousands of runs.
        if error.errno != errno.EMFILE or not _allow_more_files():
            raise
        return _map(path)


def _map(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _allow_more_files() -> bool:
    """Let this process open as many files as the administrator allows; whether that is more than before."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return soft != hard


def merge(parts: Sequence[Segment]) -> Segment:
    """One segment with the points of several of the same log file, given in file order."""
    numbers, starts, order = _grouped([(part.scalar_numbers, part.scalar_starts) for part in parts])
    steps = np.concatenate([part.steps for part in parts])[order]
    values = np.concatenate([part.values for part in parts])[order]
    falls = np.flatnonzero(steps[1:] <= steps[:-1]) + 1  # compared, since a difference could overflow
    blob_numbers, blob_starts, blob_order = _grouped([(part.blob_numbers, part.blob_starts) for part in parts])
    return Segment(
        scalar_numbers=numbers,
        scalar_starts=starts,
        breaks=np.setdiff1d(falls, starts).astype(np.int64),
        blocks=summarise(values, starts),
        steps=steps,
        walls=np.concatenate([part.walls for part in parts])[order],
        values=values,
        blob_numbers=blob_numbers,
        blob_starts=blob_starts,
        blob_steps=np.concatenate([part.blob_steps for part in parts])[blob_order],
        blob_walls=np.concatenate([part.blob_walls for part in parts])[blob_order],
        blob_offsets=np.concatenate([part.blob_offsets for part in parts])[blob_order],
        blob_lengths=np.concatenate([part.blob_lengths for part in parts])[blob_order],
        starts=np.concatenate([part.starts for part in parts]),
        sessions=_merged_sessions(parts, order),
    )


def _merged_sessions(parts: Sequence[Segment], order: Ints) -> NDArray[np.uint32]:
    """The starts before each point, counted through all parts; empty where all points come after all starts."""
    total = sum(len(part.starts) for part in parts)
    if total == 0:
        return np.zeros(0, np.uint32)
    sessions = []
    before = 0
    for part in parts:
        own = part.sessions if len(part.sessions) else np.full(len(part.steps), len(part.starts), np.uint32)
        sessions.append(own + np.uint32(before))
        before += len(part.starts)
    together = np.concatenate(sessions)[order]
    return together[:0] if (together == total).all() else together


def _grouped(directories: Sequence[tuple[NDArray[np.uint32], Ints]]) -> tuple[NDArray[np.uint32], Ints, Ints]:
    """Series numbers and starts of all parts together, and the order that brings their rows there."""
    owners = np.concatenate([np.repeat(numbers, np.diff(starts)) for numbers, starts in directories])
    order = np.argsort(owners, kind="stable")  # stable: file order is kept inside a series
    numbers, counts = np.unique(owners, return_counts=True)
    return numbers.astype(np.uint32), np.concatenate(([0], np.cumsum(counts))).astype(np.int64), order.astype(np.int64)


def summarise(values: NDArray[Any], starts: Ints) -> NDArray[Any]:
    """The block summaries of series that lie one after the other in `values`."""
    per_series = _blocks_per_series(starts)
    total = int(per_series.sum())
    summaries = np.zeros(total, BLOCK)
    if total == 0:
        return summaries
    before = np.repeat(np.cumsum(per_series) - per_series, per_series)  # blocks of earlier series
    firsts = np.repeat(starts[:-1], per_series) + (np.arange(total) - before) * BLOCK_POINTS
    finite = np.isfinite(values)
    places = np.arange(len(values)) - np.repeat(firsts, np.diff(np.append(firsts, len(values))))
    for name, best, worst in (("min", np.minimum, np.inf), ("max", np.maximum, -np.inf)):
        filled = np.where(finite, values, worst).astype(np.float64)
        extremes = best.reduceat(filled, firsts)
        is_there = finite & (filled == np.repeat(extremes, np.diff(np.append(firsts, len(values)))))
        summaries[name] = np.where(np.isinf(extremes), np.nan, extremes)
        summaries[f"{name}_at"] = np.minimum.reduceat(np.where(is_there, places, NOWHERE), firsts)
    summaries["odd_at"] = np.minimum.reduceat(np.where(finite, NOWHERE, places), firsts)
    return summaries
