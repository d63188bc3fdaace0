"""What readers of trackers give back, as batches of the index: columns grouped by series, with their statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mindinsight_like.logs.batch import BLOCK, START, STATS, Batch, Damage
from mindinsight_like.logs.kinds import Kind, series_key
from mindinsight_like.store.segments.segments import summarise
from mindinsight_like.trackers.reader import Item, Points, RunSlice

LINEAGE_TAG = "record"  # as that of our own records
_LINEAGE_KEY = series_key(Kind.LINEAGE, LINEAGE_TAG)


class Brought(NamedTuple):
    """What a slice has brought for one run, ready to be stored."""

    batch: Batch
    documents: bytes


class SeriesNumbers:
    """The series of a log by their number, in order of appearance."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self.keys = list(keys)
        self._numbers = {key: number for number, key in enumerate(self.keys)}

    def __len__(self) -> int:
        return len(self.keys)

    def has(self, key: bytes) -> bool:
        return key in self._numbers

    def number(self, key: bytes) -> int:
        number = self._numbers.setdefault(key, len(self.keys))
        if number == len(self.keys):
            self.keys.append(key)
        return number


def batch_of(part: RunSlice, series: SeriesNumbers, document_bytes: int, now: float) -> Brought:
    """The batch of a run's slice; its documents follow those of so many bytes. New series are added to `series`."""
    before = len(series)
    items = list(part.items)
    if part.lineage and not series.has(_LINEAGE_KEY):
        items.append(Item(Kind.LINEAGE, LINEAGE_TAG, 0, now, b"{}"))  # what is said is kept apart, and changes
    numbers, starts, steps, walls, values = _scalars(part.points, series)
    stats = _stats(starts, steps, walls, values)
    breaks = np.flatnonzero(steps[1:] <= steps[:-1]) + 1
    narrow = _narrowed(values)
    batch = Batch(
        keys=[],
        scalar_numbers=numbers,
        scalar_starts=starts,
        steps=steps,
        walls=walls,
        values=narrow,
        scalar_stats=stats,
        breaks=np.setdiff1d(breaks, starts).astype(np.int64),
        blocks=summarise(narrow, starts) if len(values) else np.zeros(0, BLOCK),
        **_blobs(items, series, document_bytes),
        starts=np.zeros(0, START),
        sessions=np.zeros(0, np.uint32),
        damage=[_storable(each) for each in part.damage],
        has_walls=bool(np.isfinite(walls).all()),
    )
    batch.keys.extend(series.keys[before:])
    return Brought(batch, b"".join(item.document for item in items))


def storable_text(text: str, most: int = 1000) -> str:
    """A text without what databases refuse: zero bytes and halves of characters."""
    return text[:most].replace("\0", "").encode("utf-8", "replace").decode()


def _storable(damage: Damage) -> Damage:
    return Damage(max(0, damage.offset), storable_text(damage.kind), storable_text(damage.message))


def _scalars(points: Points | None, series: SeriesNumbers) -> tuple[Any, Any, Any, Any, Any]:
    """Numbers and starts of series, and the columns grouped by them, in the order of the log inside each."""
    none = np.zeros(0, np.int64)
    if points is None or not len(points.steps):
        return np.zeros(0, np.uint32), np.zeros(1, np.int64), none, np.zeros(0), np.zeros(0)
    of_tag = np.zeros(len(points.tags), np.int64)
    _, firsts = np.unique(points.numbers, return_index=True)
    for tag in points.numbers[np.sort(firsts)].tolist():
        of_tag[tag] = series.number(series_key(Kind.SCALAR, points.tags[tag]))
    owners = of_tag[points.numbers]
    columns = points.steps, points.walls, points.values
    if (owners[1:] < owners[:-1]).any():
        order = np.argsort(owners, kind="stable")
        owners = owners[order]
        columns = points.steps[order], points.walls[order], points.values[order]
    numbers, counts = np.unique(owners, return_counts=True)
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    steps, walls, values = columns
    return numbers.astype(np.uint32), starts, steps.astype(np.int64), walls.astype(float), values.astype(float)


def _stats(
    starts: npt.NDArray[np.int64],
    steps: npt.NDArray[np.int64],
    walls: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
) -> npt.NDArray[Any]:
    stats = np.zeros(len(starts) - 1, STATS)
    if not len(stats):
        return stats
    begins, ends = starts[:-1], starts[1:]
    finite = np.isfinite(values)
    stats["count"] = ends - begins
    stats["first_step"], stats["last_step"] = steps[begins], steps[ends - 1]
    stats["non_finite"] = stats["count"] - np.add.reduceat(finite, begins, dtype=np.int64)
    has_finite = stats["non_finite"] < stats["count"]
    for name, best, worst in (("min", np.minimum, np.inf), ("max", np.maximum, -np.inf)):
        stats[name] = np.where(has_finite, best.reduceat(np.where(finite, values, worst), begins), np.nan)
    stats["last_value"] = values[ends - 1]
    stats["first_wall"], stats["last_wall"] = walls[begins], np.fmax.reduceat(walls, begins)
    return stats


def _narrowed(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float32] | npt.NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = values.astype(np.float32)
    return narrow if np.array_equal(narrow.astype(np.float64), values, equal_nan=True) else values


def _blobs(items: Sequence[Item], series: SeriesNumbers, document_bytes: int) -> dict[str, npt.NDArray[Any]]:
    owners = np.array([series.number(series_key(item.kind, item.tag)) for item in items], np.int64)
    lengths = np.array([len(item.document) for item in items], np.int64)
    offsets = document_bytes + np.cumsum(lengths) - lengths
    order = np.argsort(owners, kind="stable")
    numbers, counts = np.unique(owners, return_counts=True)
    return {
        "blob_numbers": numbers.astype(np.uint32),
        "blob_starts": np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        "blob_steps": np.array([item.step for item in items], np.int64)[order],
        "blob_walls": np.array([item.wall for item in items], np.float64)[order],
        "blob_offsets": offsets[order].astype(np.int64),
        "blob_lengths": lengths[order],
    }
