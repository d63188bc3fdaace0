"""Downsample curves for drawing: each bucket keeps its first, last, smallest and largest point.

Extremes are exact: small buckets are looked through point by point; of large ones, the summaries of blocks that the
index holds are used, and what lies between a border and the next whole block is looked through. The first value of a
bucket that is not a number is kept too. Borders depend on the points alone, not on how segments divide them, so the
answer of an index that grew with its logs is that of a new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.batch import BLOCK_POINTS, NOWHERE
from mindinsight_like.store.segments.curves import envelope
from mindinsight_like.store.segments.segments import Ints
from mindinsight_like.store.series.curve_view import View
from mindinsight_like.store.series.points import Points

_KEPT_PER_BUCKET = 4  # first, last, smallest, largest
_BLOCKS_PER_BUCKET = 4  # from this size on summaries of blocks are used
_MOST_RANGES = 1000  # of a view; more of them leave few blocks whole


def downsample(view: View, *, most: int, has_odd: bool) -> Ints:
    """Ascending places of at most `most` shown points; has_odd: there may be NaN or infinities."""
    total = len(view)
    if total <= most:
        return np.arange(total)
    # A lone bucket may have to do with less than it would keep: its ends go before its extremes.
    buckets = max(1, most // (_KEPT_PER_BUCKET + has_odd))
    if total < buckets * BLOCK_POINTS * _BLOCKS_PER_BUCKET:
        return ascending(point_by_point(view.values(), buckets)[:most])
    bounds = _block_bounds(total, buckets, int(view.lows[0]))
    candidates = _by_blocks(view, bounds) if len(view.lows) <= _MOST_RANGES else _within(view.values(), bounds)
    return ascending(candidates[:most])


def ascending(places: Sequence[Ints]) -> Ints:
    """What each bucket keeps (-1: nothing) in one ascending row without repetitions; buckets come in order."""
    row = np.sort(np.stack(places, axis=1), axis=1).ravel()
    is_new = row >= 0
    is_new[1:] &= row[1:] != row[:-1]
    return row[is_new]


def point_by_point(values: NDArray[Any], buckets: int) -> list[Ints]:
    """First, last, smallest, largest and first odd place of each of so many buckets; -1 where there is none."""
    return _within(values, _even_bounds(len(values), buckets))


def _within(values: NDArray[Any], bounds: Ints) -> list[Ints]:
    return [bounds[:-1], bounds[1:] - 1, *envelope(values, bounds)]


@lru_cache(maxsize=16)  # curves that are looked at together often have the same length
def _even_bounds(count: int, buckets: int) -> Ints:
    bounds = np.linspace(0, count, buckets + 1).astype(np.int64)
    bounds.flags.writeable = False
    return bounds


@lru_cache(maxsize=16)
def _block_bounds(count: int, buckets: int, first: int) -> Ints:
    """Bounds next to even ones, at positions in the curve where a block begins if its points lie in one segment."""
    phase = first % BLOCK_POINTS
    bounds = np.rint((_even_bounds(count, buckets) + phase) / BLOCK_POINTS).astype(np.int64) * BLOCK_POINTS - phase
    bounds[0], bounds[-1] = 0, count
    bounds.flags.writeable = False
    return bounds


@dataclass(frozen=True)
class _Stretches:
    """Neighbouring shown points, each stretch in one bucket and one part, and the blocks that they lie in."""

    begins: Ints  # places
    ends: Ints
    parts: Ints
    shifts: Ints  # from places in the part to those of the view
    table: NDArray[Any]  # the summaries of blocks that have shown points
    rows: Ints  # in the table, of the first block of the part
    first_blocks: Ints  # whole ones, in the part
    end_blocks: Ints

    @classmethod
    def of(cls, view: View, bounds: Ints) -> _Stretches:
        points = view.points
        pieces, blocks, row = [], [], 0
        for low, high, start in zip(view.lows.tolist(), view.highs.tolist(), view.starts.tolist(), strict=False):
            for part, first, end in points.pieces(low, high):
                shift = int(points.offsets[part]) + start - low
                first_block = first // BLOCK_POINTS
                blocks.append(points.parts[part].columns.blocks[first_block : -(-end // BLOCK_POINTS)])
                pieces.append((first + shift, part, shift, row - first_block))
                row += len(blocks[-1])
        piece_begins, *columns = np.array(pieces, np.int64).T
        begins = np.union1d(bounds[:-1], piece_begins)
        ends = np.append(begins[1:], bounds[-1])
        own = piece_begins.searchsorted(begins, "right") - 1
        parts, shifts, rows = (column[own] for column in columns)
        first_blocks = -((shifts - begins) // BLOCK_POINTS)
        end_blocks = (ends - shifts) // BLOCK_POINTS
        table = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        return cls(begins, ends, parts, shifts, table, rows, first_blocks, end_blocks)

    @cached_property
    def has_blocks(self) -> NDArray[np.bool_]:
        return self.end_blocks > self.first_blocks


_BESTS = (("min", np.minimum, np.inf), ("max", np.maximum, -np.inf))


class _Extremes:
    """Extremes of the points before the whole blocks of each stretch, in them and behind them; -1: nowhere."""

    def __init__(self, stretches: int) -> None:
        self.best = {name: np.full((stretches, 3), worst) for name, _, worst in _BESTS}
        self.places = {name: np.full((stretches, 3), -1, np.int64) for name in ("min", "max", "odd")}

    def of_groups(self, starts: Ints) -> list[Ints]:
        """Where the smallest, the largest and the first odd point lie of the stretches from each of `starts` on."""
        firsts = 3 * starts
        counts = np.diff(np.append(firsts, self.places["odd"].size))
        extremes = []
        for name, best, _ in _BESTS:
            values, places = self.best[name].ravel(), self.places[name].ravel()
            is_best = (values == np.repeat(best.reduceat(values, firsts), counts)) & (places >= 0)
            extremes.append(_first_of_each(places, is_best, firsts, firsts + counts))
        odd = self.places["odd"].ravel()
        return [*extremes, _first_of_each(odd, odd >= 0, firsts, firsts + counts)]


def _first_of_each(places: Ints, is_meant: NDArray[np.bool_], firsts: Ints, ends: Ints) -> Ints:
    """The first place that is meant of each range, or -1."""
    rows = np.append(np.flatnonzero(is_meant), len(places))
    own = rows[rows.searchsorted(firsts)]
    return np.where(own < ends, places[np.minimum(own, len(places) - 1)], -1)


def _by_blocks(view: View, bounds: Ints) -> list[Ints]:
    stretches = _Stretches.of(view, bounds)
    extremes = _Extremes(len(stretches.begins))
    starts = stretches.begins.searchsorted(bounds[:-1])
    _look_at_blocks(stretches, extremes)
    _look_at_edges(view.points, stretches, extremes, starts)
    return [bounds[:-1], bounds[1:] - 1, *extremes.of_groups(starts)]


def _look_at_blocks(stretches: _Stretches, extremes: _Extremes) -> None:
    own = np.flatnonzero(stretches.has_blocks)
    if not len(own):
        return
    firsts = stretches.rows[own] + stretches.first_blocks[own]
    ends = stretches.rows[own] + stretches.end_blocks[own]
    # Between whole blocks there may be one with a border in it.
    begin, table = firsts[0], stretches.table[firsts[0] : ends[-1]]
    turns = np.stack((firsts, ends), axis=1).ravel()[:-1] - begin
    counts = np.diff(np.append(turns, len(table)))
    begins = (stretches.first_blocks[own] - firsts) * BLOCK_POINTS + stretches.shifts[own]  # of row 0, if it were there
    for name, best, worst in _BESTS:
        values = np.where(np.isnan(table[name]), worst, table[name])
        bests = best.reduceat(values, turns)
        rows = np.flatnonzero(values == np.repeat(bests, counts))
        rows = rows[rows.searchsorted(firsts - begin)]
        at = table[f"{name}_at"][rows]
        extremes.best[name][own, 1] = bests[::2]
        extremes.places[name][own, 1] = np.where(at == NOWHERE, -1, begins + (rows + begin) * BLOCK_POINTS + at)
    is_odd = table["odd_at"] != NOWHERE
    if is_odd.any():
        rows = _first_of_each(np.arange(len(table)), is_odd, firsts - begin, ends - begin)
        places = begins + (rows + begin) * BLOCK_POINTS + table["odd_at"][rows]
        extremes.places["odd"][own, 1] = np.where(rows < 0, -1, places)


def _look_at_edges(points: Points, stretches: _Stretches, extremes: _Extremes, starts: Ints) -> None:
    """Look through what lies before and behind whole blocks; a stretch without any counts as before them."""
    has_blocks, shifts = stretches.has_blocks, stretches.shifts
    heads = np.where(has_blocks, stretches.first_blocks * BLOCK_POINTS + shifts, stretches.ends)
    tails = np.where(has_blocks, stretches.end_blocks * BLOCK_POINTS + shifts, stretches.ends)
    begins, ends = np.stack((stretches.begins, tails), axis=1), np.stack((heads, stretches.ends), axis=1)
    own, side = np.nonzero((ends > begins) & _may_matter(stretches, extremes, starts))
    if not len(own):
        return
    begins, ends, shifts = begins[own, side], ends[own, side], stretches.shifts[own]
    slices = zip(stretches.parts[own].tolist(), (begins - shifts).tolist(), (ends - shifts).tolist(), strict=True)
    values = np.concatenate([points.parts[part].columns.values[first:end] for part, first, end in slices])
    bounds = np.concatenate(([0], np.cumsum(ends - begins)))
    for name, at in zip(("min", "max", "odd"), envelope(values, bounds), strict=True):
        is_there = at >= 0
        rows, columns = own[is_there], 2 * side[is_there]
        extremes.places[name][rows, columns] = (at + begins - bounds[:-1])[is_there]
        if name != "odd":
            extremes.best[name][rows, columns] = values[at[is_there]]


def _may_matter(stretches: _Stretches, extremes: _Extremes, starts: Ints) -> NDArray[np.bool_]:
    """Whether the block before, and that behind the whole blocks of each stretch may have an extreme of its bucket."""
    blocks = np.stack((stretches.first_blocks - 1, stretches.end_blocks), axis=1)
    rows = stretches.rows[:, None] + blocks
    edges = stretches.table[rows.clip(0, len(stretches.table) - 1)]
    counts = np.diff(np.append(starts, len(rows)))
    lowest = np.repeat(np.minimum.reduceat(extremes.best["min"][:, 1], starts), counts)[:, None]
    highest = np.repeat(np.maximum.reduceat(extremes.best["max"][:, 1], starts), counts)[:, None]
    is_inside = (edges["min"] > lowest) & (edges["max"] < highest) & (edges["odd_at"] == NOWHERE)
    return np.asarray(~(is_inside & stretches.has_blocks[:, None]))
