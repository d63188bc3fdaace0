"""Fewer points that draw the same picture: each bucket keeps its first, last, smallest and largest point.

Extremes are exact: buckets are made of whole blocks, whose summaries the index holds, where they are large, and
are looked through point by point where they are small. The first value of a bucket that is not a number is kept too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.batch import BLOCK_POINTS, NOWHERE
from mindinsight_like.store.curves import envelope
from mindinsight_like.store.resuming import Points, Range
from mindinsight_like.store.segments import Ints

_KEPT_PER_BUCKET = 4  # first, last, smallest, largest
_BLOCKS_PER_BUCKET = 4  # from this size on buckets are made of blocks


def kept_positions(points: Points, ranges: Sequence[Range], *, most: int, has_odd: bool) -> Ints:
    """Ascending positions of at most `most` points of the ranges; has_odd: there may be NaN or infinities."""
    total = sum(high - low for low, high in ranges)
    if total <= most:
        return np.concatenate([np.arange(low, high) for low, high in ranges] or [np.zeros(0, np.int64)])
    # A lone bucket may have to do with less than it would keep: its ends go before its extremes.
    buckets = max(1, most // (_KEPT_PER_BUCKET + has_odd))
    if total >= buckets * BLOCK_POINTS * _BLOCKS_PER_BUCKET:
        return ascending(_by_blocks(points, ranges, total, buckets)[:most])
    places = ascending(point_by_point(points.values(ranges), buckets)[:most])
    return _positions(places, ranges)


def ascending(kept: Sequence[Ints]) -> Ints:
    """What each bucket keeps (-1: nothing) in one ascending row without repetitions; buckets come in order."""
    row = np.sort(np.stack(kept, axis=1), axis=1).ravel()
    is_new = row >= 0
    is_new[1:] &= row[1:] != row[:-1]
    return row[is_new]


def _positions(places: Ints, ranges: Sequence[Range]) -> Ints:
    """Positions in the curve of places that count through the shown points alone."""
    begins = np.array([low for low, _ in ranges], np.int64)
    before = np.cumsum([0, *(high - low for low, high in ranges[:-1])])
    inside = np.searchsorted(before, places, "right") - 1
    return np.asarray(places + (begins - before)[inside], np.int64)


def point_by_point(values: NDArray[Any], buckets: int) -> list[Ints]:
    """First, last, smallest, largest and first odd place of each of so many buckets; -1 where there is none."""
    bounds = _even_bounds(len(values), buckets)
    return [bounds[:-1], bounds[1:] - 1, *envelope(values, bounds)]


@lru_cache(maxsize=16)  # curves that are looked at together often have the same length
def _even_bounds(count: int, buckets: int) -> Ints:
    bounds = np.linspace(0, count, buckets + 1).astype(np.int64)
    bounds.flags.writeable = False
    return bounds


# A stretch of neighbouring points with its extremes; positions count through the curve, -1 where there is none.
_ATOM = np.dtype(
    [("begin", "i8"), ("end", "i8"), ("min", "f8"), ("max", "f8"), ("min_at", "i8"), ("max_at", "i8"), ("odd_at", "i8")]
)


def _by_blocks(points: Points, ranges: Sequence[Range], total: int, buckets: int) -> list[Ints]:
    atoms = _atoms(points, ranges)
    sizes = atoms["end"] - atoms["begin"]
    # Buckets begin at the atoms nearest to an even division.
    wanted = np.linspace(0, total, buckets + 1)[:-1]
    starts = np.unique(np.searchsorted(np.cumsum(sizes) - sizes, wanted).clip(0, len(sizes) - 1))
    counts = np.diff(np.append(starts, len(atoms)))
    kept = [atoms["begin"][starts], atoms["end"][starts + counts - 1] - 1]
    for name, best, worst in (("min", np.minimum, np.inf), ("max", np.maximum, -np.inf)):
        filled = np.where(np.isnan(atoms[name]), worst, atoms[name])
        extremes = np.repeat(best.reduceat(filled, starts), counts)
        kept.append(_first_of_each(np.where(filled == extremes, atoms[f"{name}_at"], -1), starts))
    kept.append(_first_of_each(atoms["odd_at"], starts))
    return kept


def _first_of_each(positions: Ints, starts: Ints) -> Ints:
    """The smallest position that is not -1 in each group, or -1."""
    nowhere = np.iinfo(np.int64).max
    smallest = np.minimum.reduceat(np.where(positions < 0, nowhere, positions), starts)
    return np.where(smallest == nowhere, -1, smallest)


def _atoms(points: Points, ranges: Sequence[Range]) -> NDArray[Any]:
    atoms = []
    for low, high in ranges:
        for place, first, end in points.pieces(low, high):
            first_block, end_block = -(-first // BLOCK_POINTS), end // BLOCK_POINTS
            if first_block >= end_block:
                atoms.append(_atom(points, place, first, end))
                continue
            if first < first_block * BLOCK_POINTS:
                atoms.append(_atom(points, place, first, first_block * BLOCK_POINTS))
            atoms.append(_block_atoms(points, place, first_block, end_block))
            if end > end_block * BLOCK_POINTS:
                atoms.append(_atom(points, place, end_block * BLOCK_POINTS, end))
    return np.concatenate(atoms)


def _atom(points: Points, place: int, first: int, end: int) -> NDArray[Any]:
    """The atom of some points of a part that are not whole blocks."""
    offset = int(points.offsets[place]) + first
    values = points.parts[place].columns.values[first:end]
    found = [int(at[0]) for at in envelope(values, np.array([0, end - first]))]
    extremes = [float(values[at]) if at >= 0 else np.nan for at in found[:2]]
    return np.array(
        [(offset, offset + end - first, *extremes, *(at + offset if at >= 0 else -1 for at in found))], _ATOM
    )


def _block_atoms(points: Points, place: int, first: int, end: int) -> NDArray[Any]:
    """The atoms of some whole blocks of a part."""
    blocks = points.parts[place].columns.blocks[first:end]
    atoms = np.empty(end - first, _ATOM)
    atoms["begin"] = np.arange(first, end) * BLOCK_POINTS + int(points.offsets[place])
    atoms["end"] = atoms["begin"] + BLOCK_POINTS
    for name in ("min", "max"):
        atoms[name] = blocks[name]
    for name in ("min_at", "max_at", "odd_at"):
        atoms[name] = np.where(blocks[name] == NOWHERE, -1, atoms["begin"] + blocks[name])
    return atoms
