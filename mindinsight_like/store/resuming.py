"""Which points of a curve are shown when training was resumed and steps were written again.

A curve is what one writer logged under one tag, over all its files and segments, in order. Where a step is not
larger than the one before, training was taken up again at an earlier step: a new stretch begins. In the latest
view newer stretches win from their first step on; in the full view everything is shown. A point directly followed by
another with the same step was written twice and is hidden in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.store.segments import Floats, Ints, ScalarColumns

_NO_CUT = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Part:
    """One segment's points of the curve, and the step at which its file said it starts anew (SessionLog START)."""

    columns: ScalarColumns
    starts_at: int | None = None  # given only for the first part of a file


class Points:
    """The points of a curve over its parts, addressed by one position that counts through all of them."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self.offsets = np.concatenate(([0], np.cumsum([len(part.columns.steps) for part in parts]))).astype(np.int64)

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def _part(self, position: int) -> int:
        return int(np.searchsorted(self.offsets, position, "right")) - 1

    def first_at_or_after(self, low: int, high: int, step: int) -> int:
        """The first position in [low, high) whose step is at least `step`; steps grow there."""
        for place in range(self._part(low), len(self.parts)):
            begin, end = int(self.offsets[place]), min(high, int(self.offsets[place + 1]))
            if begin >= high:
                break
            steps = self.parts[place].columns.steps[max(low - begin, 0) : end - begin]
            if len(steps) and steps[-1] >= step:
                return max(low, begin) + int(np.searchsorted(steps, step))
        return high

    def pieces(self, low: int, high: int) -> list[tuple[int, int, int]]:
        """(part, first, end) inside the parts for positions [low, high)."""
        found = []
        for place in range(self._part(low), len(self.parts)):
            begin, end = int(self.offsets[place]), int(self.offsets[place + 1])
            if begin >= high:
                break
            if end > begin:
                found.append((place, max(low - begin, 0), min(high, end) - begin))
        return found

    def take(self, positions: Ints) -> tuple[Ints, Floats, NDArray[Any]]:
        """Steps, wall times and values at ascending positions."""
        bounds = np.searchsorted(positions, self.offsets)
        steps, walls, values = [], [], []
        for place, (low, high) in enumerate(pairwise(bounds)):
            if high > low:
                inside = positions[low:high] - self.offsets[place]
                columns = self.parts[place].columns
                steps.append(columns.steps[inside])
                walls.append(columns.walls[inside])
                values.append(columns.values[inside])
        if not steps:
            return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
        return np.concatenate(steps), np.concatenate(walls), np.concatenate(values).astype(np.float64)

    def values(self, ranges: Sequence[tuple[int, int]]) -> NDArray[Any]:
        """All values of some ranges of positions."""
        found = [
            self.parts[place].columns.values[first:end]
            for low, high in ranges
            for place, first, end in self.pieces(low, high)
        ]
        return np.concatenate(found) if found else np.zeros(0)


def once_each(columns: Sequence[ScalarColumns]) -> list[ScalarColumns]:
    """The columns of one log file without points whose step comes next again: written twice, they are one."""
    kept: list[ScalarColumns] = []
    for each in reversed(columns):
        if kept and each.steps[-1] == kept[-1].steps[0]:
            each = each.without_last()
        if len(each.steps):
            kept.append(each)
    return kept[::-1]


Range = tuple[int, int]


def visible(points: Points, *, latest: bool, restarts_at: int | None = None) -> list[Range]:
    """The ranges of positions that are shown, one for each stretch with anything left, in order.

    `restarts_at`: the step at which training was taken up again after all of these points.
    """
    if len(points) == 0:
        return []
    begins, ends, limits = _stretches(points)
    firsts = _steps_at(points, begins)
    if not latest:
        return [(int(low), int(high)) for low, high in zip(begins, ends, strict=True) if high > low]
    # What a stretch may show ends where any later stretch, or a later file's announced start, begins.
    later = np.append(np.minimum(firsts, limits)[1:], _NO_CUT if restarts_at is None else restarts_at)
    cuts = np.minimum.accumulate(later[::-1])[::-1]
    shown = []
    for low, high, first, cut in zip(begins.tolist(), ends.tolist(), firsts.tolist(), cuts.tolist(), strict=True):
        if (first < cut or cut == _NO_CUT) and high > low:
            end = high if cut == _NO_CUT else points.first_at_or_after(low, high, cut)
            if end > low:
                shown.append((low, end))
    return shown


def between_steps(points: Points, ranges: Sequence[Range], first: int | None, last: int | None) -> list[Range]:
    """The parts of some ranges whose steps lie in [first, last]."""
    kept = []
    for low, high in ranges:
        begin = low if first is None else points.first_at_or_after(low, high, first)
        end = high if last is None or last >= _NO_CUT else points.first_at_or_after(low, high, last + 1)
        if end > begin:
            kept.append((begin, end))
    return kept


def _stretches(points: Points) -> tuple[Ints, Ints, Ints]:
    """Begin and end position of each stretch, and the step its file announced as its start (or none)."""
    begins = [np.zeros(1, np.int64)]
    previous: int | None = None
    announced: dict[int, int] = {}
    for place, part in enumerate(points.parts):
        steps, offset = part.columns.steps, int(points.offsets[place])
        if len(steps) == 0:
            continue
        if part.starts_at is not None:
            announced[offset] = part.starts_at
        if previous is not None and (steps[0] <= previous or part.starts_at is not None):
            begins.append(np.array([offset], np.int64))
        begins.append(part.columns.breaks + offset)
        previous = int(steps[-1])
    begin = np.concatenate(begins)
    end = np.append(begin[1:], len(points))
    # A stretch that begins with the step the one before ended with: that earlier point was written twice.
    inner = begin[1:]
    if len(inner):
        repeated = _steps_at(points, inner) == _steps_at(points, inner - 1)
        end[:-1] -= repeated
    limits = np.full(len(begin), _NO_CUT)
    for position, step in announced.items():
        limits[np.searchsorted(begin, position)] = step
    return begin, end, limits


def _steps_at(points: Points, positions: Ints) -> Ints:
    return points.take(positions)[0]
