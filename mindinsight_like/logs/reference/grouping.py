"""Group points by series and summarise them, in plain numpy."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mindinsight_like.logs.batch import BLOCK, BLOCK_POINTS, NOWHERE, START, STATS, Batch, Damage


class Point(NamedTuple):
    """A scalar as found in the file."""

    number: int  # of its series
    step: int
    wall: float
    value: float


class Blob(NamedTuple):
    """A value that stays in the file, and where it stands."""

    number: int
    step: int
    wall: float
    offset: int
    length: int
    points: int  # found before it
    is_start: bool  # of a session


def batch_of(keys: list[bytes], points: Sequence[Point], blobs: Sequence[Blob], damage: list[Damage]) -> Batch:
    """Points and blobs, given in file order, as columns grouped by series."""
    starts_at = [blob.points for blob in blobs if blob.is_start]
    sessions = np.searchsorted(starts_at, np.arange(len(points)), "right").astype(np.uint32)
    owners = np.array([point.number for point in points], np.int64)
    numbers, starts = _groups([point.number for point in points])
    points = sorted(points, key=lambda point: point.number)
    steps = np.array([point.step for point in points], np.int64)
    walls = np.array([point.wall for point in points], np.float64)
    doubles = np.array([point.value for point in points], np.float64)
    stats = np.zeros(len(numbers), STATS)
    blocks: list[tuple[float, float, int, int, int]] = []
    for index, (begin, end) in enumerate(pairwise(starts.tolist())):
        stats[index] = _stats(steps[begin:end], walls[begin:end], doubles[begin:end])
        blocks += [_block(doubles[at : min(at + BLOCK_POINTS, end)]) for at in range(begin, end, BLOCK_POINTS)]
    backwards = np.flatnonzero(steps[1:] <= steps[:-1]) + 1
    blob_numbers, blob_starts = _groups([blob.number for blob in blobs])
    blobs = sorted(blobs, key=lambda blob: blob.number)
    return Batch(
        keys=keys,
        scalar_numbers=numbers,
        scalar_starts=starts,
        steps=steps,
        walls=walls,
        values=_narrowed(doubles),
        scalar_stats=stats,
        breaks=np.setdiff1d(backwards, starts).astype(np.int64),
        blocks=np.array(blocks, BLOCK),
        blob_numbers=blob_numbers,
        blob_starts=blob_starts,
        blob_steps=np.array([blob.step for blob in blobs], np.int64),
        blob_walls=np.array([blob.wall for blob in blobs], np.float64),
        blob_offsets=np.array([blob.offset for blob in blobs], np.int64),
        blob_lengths=np.array([blob.length for blob in blobs], np.int64),
        starts=np.array([(blob.step, blob.wall, blob.offset) for blob in blobs if blob.is_start], START),
        sessions=sessions[np.argsort(owners, kind="stable")] if any(starts_at) else sessions[:0],
        damage=damage,
    )


def _groups(numbers: list[int]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    present, counts = np.unique(np.array(numbers, np.uint32), return_counts=True)
    return present, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _narrowed(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float32] | npt.NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = values.astype(np.float32)
    return narrow if np.array_equal(narrow.astype(np.float64), values, equal_nan=True) else values


def _stats(
    steps: npt.NDArray[np.int64], walls: npt.NDArray[np.float64], values: npt.NDArray[np.float64]
) -> tuple[Any, ...]:
    finite = values[np.isfinite(values)]
    low, high = (finite[finite.argmin()], finite[finite.argmax()]) if finite.size else (np.nan, np.nan)
    odd = values.size - finite.size
    return values.size, steps[0], steps[-1], low, high, values[-1], odd, walls[0], np.fmax.reduce(walls)


def _block(values: npt.NDArray[np.float64]) -> tuple[float, float, int, int, int]:
    finite = np.isfinite(values)
    odd = NOWHERE if finite.all() else int(finite.argmin())
    if not finite.any():
        return np.nan, np.nan, NOWHERE, NOWHERE, odd
    low = int(np.where(finite, values, np.inf).argmin())
    high = int(np.where(finite, values, -np.inf).argmax())
    return float(values[low]), float(values[high]), low, high, odd
