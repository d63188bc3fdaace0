"""Views of a curve: which of its points are shown, and in which order.

By default every step is shown with its newest value: of the points that one log file has for a step the last one, of
those of several files the one with the latest wall time. What they replace is superseded. A START in TensorBoard's
session log hides all that was written before it from its step on. A curve whose points all have the same step was
logged without steps: it is shown whole, in the order of wall times.

The full view shows every point in the order of writing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.store.segments.segments import Floats, Ints
from mindinsight_like.store.series.points import Points

_FEW = 256  # ranges; so many are looked at one by one, more of them as columns

_NO_POSITIONS = np.zeros(0, np.int64)


@dataclass(frozen=True)
class View:
    """The shown points as ranges [low, high) of positions, in the order in which they are shown.

    A place counts through the shown points alone.
    """

    points: Points
    lows: Ints
    highs: Ints
    superseded: int = 0  # points that the default view leaves out
    is_sorted: bool = True  # steps rise through all ranges; else within each
    has_steps: bool = True  # False: all points have the same step, and wall times order them

    @cached_property
    def starts(self) -> Ints:
        """The place at which each range begins, and the number of points."""
        return np.concatenate(([0], np.cumsum(self.highs - self.lows))).astype(np.int64)

    def __len__(self) -> int:
        return int((self.highs - self.lows).sum())

    def positions(self, places: Ints | None = None) -> Ints:
        """The positions of some places, or of all."""
        if places is None:
            return expanded(self.lows, self.highs)
        if len(self.lows) == 1:
            return np.asarray(places + self.lows[0], np.int64)
        inside = np.searchsorted(self.starts, places, "right") - 1
        return np.asarray(places + (self.lows - self.starts[:-1])[inside], np.int64)

    def values(self) -> NDArray[Any]:
        """The values of all shown points."""
        return self._column("values")

    def steps(self) -> Ints:
        return self._column("steps")

    def _column(self, name: str) -> NDArray[Any]:
        if len(self.lows) > _FEW:
            return self.points.column(name, self.positions())
        pieces = [
            getattr(self.points.parts[place].columns, name)[first:end]
            for low, high in zip(self.lows.tolist(), self.highs.tolist(), strict=True)
            for place, first, end in self.points.pieces(low, high)
        ]
        if not pieces:
            return np.zeros(0, np.int64 if name == "steps" else np.float64)
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)

    @property
    def start_time(self) -> float:
        """The earliest wall time among the first points of the ranges; 0 when nothing is shown."""
        if not len(self.lows):
            return 0.0
        walls = self.points.walls(self.lows)
        return float(np.fmin.reduce(walls))

    def between(self, first: int | None, last: int | None) -> tuple[View, Ints]:
        """The shown points with steps in [first, last], and the places in this view at which its ranges begin."""
        if first is None and last is None:
            return self, self.starts[:-1]
        if self.is_sorted and self.has_steps:
            return self._cut_at_ends(first, last)
        if len(self.lows) > _FEW or not self.has_steps:
            steps = self.steps()
            inside = np.ones(len(steps), np.bool_)
            if first is not None:
                inside &= steps >= first
            if last is not None:
                inside &= steps <= last
            places = np.flatnonzero(inside)
            # Stretches stay apart.
            lows, highs = ranges_of(self.positions(places), apart_at=np.searchsorted(places, self.starts[1:-1]))
            return self._with(lows, highs), places[np.concatenate(([0], np.cumsum(highs - lows)[:-1]))[: len(lows)]]
        ranges = []
        for low, high, start in zip(self.lows.tolist(), self.highs.tolist(), self.starts.tolist(), strict=False):
            begin = low if first is None else self.points.first_at_or_after(low, high, first)
            end = high if last is None else self.points.first_at_or_after(low, high, last, side="right")
            if end > begin:
                ranges.append((begin, end, start + begin - low))
        lows, highs, starts = np.array(ranges, np.int64).reshape(-1, 3).T
        return self._with(lows, highs), starts

    def _cut_at_ends(self, first: int | None, last: int | None) -> tuple[View, Ints]:
        begin = 0 if first is None else self._place_of(first, "left")
        end = len(self) if last is None else self._place_of(last, "right")
        if end <= begin:
            return self._with(_NO_POSITIONS, _NO_POSITIONS), _NO_POSITIONS
        low_range = int(np.searchsorted(self.starts, begin, "right")) - 1
        high_range = int(np.searchsorted(self.starts, end, "left"))
        lows, highs = self.lows[low_range:high_range].copy(), self.highs[low_range:high_range].copy()
        starts = self.starts[low_range:high_range].copy()
        highs[-1] = self.lows[high_range - 1] + end - self.starts[high_range - 1]
        lows[0] += begin - starts[0]
        starts[0] = begin
        return self._with(lows, highs), starts

    def _place_of(self, step: int, side: str) -> int:
        """The first place whose step is at least `step`, or (side "right") larger."""
        if not len(self.lows):
            return 0
        ends = self.points.steps(self.highs - 1)
        place = int(ends.searchsorted(step, "left" if side == "left" else "right"))
        if place == len(ends):
            return len(self)
        low, high = int(self.lows[place]), int(self.highs[place])
        return int(self.starts[place]) + self.points.first_at_or_after(low, high, step, side=side) - low

    def _with(self, lows: Ints, highs: Ints) -> View:
        return View(self.points, lows, highs, self.superseded, self.is_sorted, self.has_steps)


def expanded(lows: Ints, highs: Ints) -> Ints:
    """All positions of some ranges, one range after the other."""
    if len(lows) == 1:
        return np.arange(lows[0], highs[0], dtype=np.int64)
    sizes = highs - lows
    ends = np.cumsum(sizes)
    if not len(ends):
        return _NO_POSITIONS
    return np.asarray(np.arange(ends[-1]) + np.repeat(lows - ends + sizes, sizes), np.int64)


def ranges_of(positions: Ints, apart_at: Ints = _NO_POSITIONS) -> tuple[Ints, Ints]:
    """Ranges that give the positions in their order, a new one at each place of `apart_at`."""
    if not len(positions):
        return _NO_POSITIONS, _NO_POSITIONS
    heads = np.concatenate(([True], positions[1:] != positions[:-1] + 1))
    heads[apart_at[apart_at < len(positions)]] = True
    places = np.flatnonzero(heads)
    return positions[places], positions[np.append(places[1:], len(positions)) - 1] + 1


def full_view(points: Points) -> View:
    """Every point in the order of writing; a range begins wherever a step is smaller than the one before."""
    falls = []
    previous: int | None = None
    for place, part in enumerate(points.parts):
        steps, breaks = part.columns.steps, part.columns.breaks
        if not len(steps):
            continue
        offset = int(points.offsets[place])
        if previous is None or steps[0] < previous:
            falls.append(np.array([offset], np.int64))
        if len(breaks):
            falls.append(breaks[steps[breaks] < steps[breaks - 1]] + offset)
        previous = int(steps[-1])
    lows = np.concatenate([_NO_POSITIONS, *falls])
    return View(points, lows, np.append(lows[1:], len(points)) if len(lows) else lows, is_sorted=len(lows) <= 1)


def default_view(points: Points) -> View:
    """The newest value of every step, sorted by step; see above."""
    if _is_ordered(points):
        total = len(points)
        return View(points, np.zeros(min(total, 1), np.int64), np.full(min(total, 1), total, np.int64))
    begins, ends = _stretches(points)
    if not len(begins):
        return View(points, _NO_POSITIONS, _NO_POSITIONS, len(points))
    firsts, lasts = points.steps(begins), points.steps(ends - 1)
    if firsts.min() == lasts.max():
        return _by_wall_time(points, begins, ends)
    lows, highs = _newest(points, begins, ends, firsts, lasts)
    return View(points, lows, highs, len(points) - int((highs - lows).sum()))


def _is_ordered(points: Points) -> bool:
    """Whether all points are shown just as they were written."""
    previous: int | None = None
    for part in points.parts:
        steps = part.columns.steps
        if not len(steps):
            continue
        if part.limit is not None or len(part.columns.breaks) or (previous is not None and steps[0] <= previous):
            return False
        previous = int(steps[-1])
    return True


def _stretches(points: Points) -> tuple[Ints, Ints]:
    """Begin and end of each stretch of rising steps that lies in one part, without what a session start hides."""
    begins, ends = [], []
    for place, part in enumerate(points.parts):
        steps = part.columns.steps
        if not len(steps):
            continue
        begin = np.concatenate(([0], part.columns.breaks))
        end = np.append(begin[1:], len(steps))
        if part.limit is not None:
            if len(begin) <= _FEW:
                own = [steps[low:high].searchsorted(part.limit) for low, high in zip(begin, end, strict=True)]
                end = begin + np.array(own, np.int64)
            else:
                end = begin + np.add.reduceat(steps < part.limit, begin, dtype=np.int64)
            begin, end = begin[end > begin], end[end > begin]
        begins.append(begin + points.offsets[place])
        ends.append(end + points.offsets[place])
    return np.concatenate([_NO_POSITIONS, *begins]), np.concatenate([_NO_POSITIONS, *ends])


def _by_wall_time(points: Points, begins: Ints, ends: Ints) -> View:
    """The points of a curve without steps; each stretch is one of them."""
    walls = _sortable(points.walls(begins))
    if (walls[1:] < walls[:-1]).any():
        begins = begins[np.argsort(walls, kind="stable")]
    lows, highs = ranges_of(begins)
    return View(points, lows, highs, len(points) - len(begins), has_steps=len(begins) == 1)


def _sortable(walls: Floats) -> Floats:
    """Wall times with those that are no numbers before all others."""
    return np.where(np.isnan(walls), -np.inf, walls)


def _newest(points: Points, begins: Ints, ends: Ints, firsts: Ints, lasts: Ints) -> tuple[Ints, Ints]:
    """Ranges of the newest point of each step, sorted by step.

    Points whose step is larger than all before are the backbone; it is sorted already, and long. The late points are
    sorted and put into it, where they replace what is there of the same step.
    """
    reached = np.maximum.accumulate(lasts)
    middles = begins.copy()
    middles[1:][lasts[1:] <= reached[:-1]] = ends[1:][lasts[1:] <= reached[:-1]]
    (crossing,) = np.nonzero((firsts[1:] <= reached[:-1]) & (lasts[1:] > reached[:-1]))
    crossing += 1
    if len(crossing) <= _FEW:
        for place in crossing.tolist():
            low, high = int(begins[place]), int(ends[place])
            middles[place] = points.first_at_or_after(low, high, int(reached[place - 1]), side="right")
    else:
        lows, highs = begins[crossing], ends[crossing]
        is_late = points.steps(expanded(lows, highs)) <= np.repeat(reached[crossing - 1], highs - lows)
        middles[crossing] += np.add.reduceat(is_late, np.cumsum(highs - lows) - (highs - lows), dtype=np.int64)
    is_backbone = ends > middles
    backbone = middles[is_backbone], ends[is_backbone]
    late = expanded(begins[middles > begins], middles[middles > begins])
    if not len(late):
        return _joined(*backbone)
    late_steps = points.steps(late)
    order = _last_of_each(late_steps)
    steps = late_steps[order]
    at = _insertions(points, backbone, lasts[is_backbone], steps)
    replaces = points.steps(at) == steps
    winners = late[order]
    if points.parts[-1].file != points.parts[0].file:
        winners = _newest_of_files(points, late, late_steps, steps, winners, at, replaces)
    return _inserted(backbone, at, replaces, winners)


def _last_of_each(steps: Ints) -> Ints:
    """Where each step stands last, sorted by step."""
    low, span = int(steps.min()), int(steps.max()) - int(steps.min())
    if span <= 4 * len(steps) + 1024:
        slots = np.full(span + 1, -1, np.int64)
        slots[steps - low] = np.arange(len(steps))  # of equal indices the last one stays
        return np.asarray(slots[slots >= 0])
    order = np.argsort(steps, kind="stable")
    ordered = steps[order]
    return np.asarray(order[np.append(ordered[1:] != ordered[:-1], True)])


def _insertions(points: Points, backbone: tuple[Ints, Ints], lasts: Ints, steps: Ints) -> Ints:
    """For each of some rising steps the first position in the backbone with a step that is not smaller."""
    lows, highs = backbone
    if len(lows) > _FEW:
        positions = expanded(lows, highs)
        return positions[points.steps(positions).searchsorted(steps)]
    insertions = []
    bounds = np.concatenate(([0], steps.searchsorted(lasts, "right"))).tolist()
    for place, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True)):
        own = steps[bounds[place] : bounds[place + 1]]
        if len(own):
            ((part, first, end),) = points.pieces(low, high)
            insertions.append(points.parts[part].columns.steps[first:end].searchsorted(own) + low)
    return np.concatenate(insertions)


def _newest_of_files(
    points: Points, late: Ints, late_steps: Ints, steps: Ints, winners: Ints, at: Ints, replaces: NDArray[np.bool_]
) -> Ints:
    """For each of some steps the newest point where files have points of the same step."""
    candidates = np.concatenate((at[replaces], late))
    of_steps = np.concatenate((steps[replaces], late_steps))
    files, walls = points.files(candidates), _sortable(points.walls(candidates))
    if _follow_each_other(files, walls):
        return winners
    # Of each file the last point of a step, then of these the one with the latest time.
    order = np.lexsort((candidates, files, of_steps))
    is_last = np.append((np.diff(files[order]) != 0) | (of_steps[order][1:] != of_steps[order][:-1]), True)
    last = order[is_last]
    order = last[np.lexsort((files[last], walls[last], of_steps[last]))]
    return np.asarray(candidates[order[np.append(of_steps[order][1:] != of_steps[order][:-1], True)]])


def _follow_each_other(files: Ints, walls: Floats) -> bool:
    """Whether nothing in a file is older than anything in the files before it."""
    order = np.argsort(files, kind="stable")
    heads = np.flatnonzero(np.diff(files[order], prepend=-1))
    earliest, latest = np.minimum.reduceat(walls[order], heads), np.maximum.reduceat(walls[order], heads)
    return bool((earliest[1:] >= np.maximum.accumulate(latest)[:-1]).all())


def _inserted(backbone: tuple[Ints, Ints], at: Ints, replaces: NDArray[np.bool_], late: Ints) -> tuple[Ints, Ints]:
    """The backbone with a late point before each position of `at`, or in its place."""
    # Each late point ends a piece of the backbone and begins another; pieces come in the order of their ends.
    lows = np.sort(np.concatenate((backbone[0], at + replaces)), kind="stable")
    piece_ends = np.concatenate((at, backbone[1]))
    order = np.argsort(piece_ends, kind="stable")
    highs = piece_ends[order]
    is_cut = order < len(at)
    own_places = np.flatnonzero(is_cut)  # of the pieces that a late point ends; both are sorted by step
    result_lows, result_highs = np.empty(len(lows) + len(late), np.int64), np.empty(len(lows) + len(late), np.int64)
    late_places = own_places + 1 + np.arange(len(late))
    is_late = np.zeros(len(result_lows), np.bool_)
    is_late[late_places] = True
    result_lows[is_late], result_highs[is_late] = late, late + 1
    result_lows[~is_late], result_highs[~is_late] = lows, highs
    return _joined(result_lows, result_highs)


def _joined(lows: Ints, highs: Ints) -> tuple[Ints, Ints]:
    """The same positions in the same order as the fewest ranges."""
    lows, highs = lows[highs > lows], highs[highs > lows]
    if len(lows) < 2:
        return lows, highs
    heads = np.concatenate(([True], lows[1:] != highs[:-1]))
    return lows[heads], highs[np.append(heads[1:], True)]
