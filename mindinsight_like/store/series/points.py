"""The points of one curve over its log files and segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.store.segments.segments import Floats, Ints, ScalarColumns


@dataclass(frozen=True)
class Part:
    """Neighbouring points of one segment."""

    columns: ScalarColumns
    file: int = 0  # place of its log file among those of the curve
    limit: int | None = None  # a later SessionLog START hides its points from this step on


class Points:
    """The points of a curve, addressed by one position that counts through all of its parts."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self.offsets = np.concatenate(([0], np.cumsum([len(part.columns.steps) for part in parts]))).astype(np.int64)

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def _part(self, position: int) -> int:
        return int(np.searchsorted(self.offsets, position, "right")) - 1

    def first_at_or_after(self, low: int, high: int, step: int, *, side: str = "left") -> int:
        """The first position in [low, high) whose step is at least `step` (with "right": larger); steps rise there."""
        for place in range(self._part(low), len(self.parts)):
            begin, end = int(self.offsets[place]), min(high, int(self.offsets[place + 1]))
            if begin >= high:
                break
            steps = self.parts[place].columns.steps[max(low - begin, 0) : end - begin]
            if len(steps) and (steps[-1] >= step if side == "left" else steps[-1] > step):
                return max(low, begin) + int(steps.searchsorted(step, "left" if side == "left" else "right"))
        return high

    def pieces(self, low: int, high: int) -> list[tuple[int, int, int]]:
        """(part, first, end) inside the parts for positions [low, high)."""
        pieces = []
        for place in range(self._part(low), len(self.parts)):
            begin, end = int(self.offsets[place]), int(self.offsets[place + 1])
            if begin >= high:
                break
            if end > begin:
                pieces.append((place, max(low - begin, 0), min(high, end) - begin))
        return pieces

    def take(self, positions: Ints) -> tuple[Ints, Floats, Floats]:
        """Steps, wall times and values at some positions, in their order."""
        steps, walls, values = (self.column(name, positions) for name in ("steps", "walls", "values"))
        return steps, walls, values.astype(np.float64, copy=False)

    def steps(self, positions: Ints) -> Ints:
        return self.column("steps", positions)

    def walls(self, positions: Ints) -> Floats:
        return self.column("walls", positions)

    def files(self, positions: Ints) -> Ints:
        """The place of each point's log file among those of the curve."""
        of_parts = np.array([part.file for part in self.parts], np.int64)
        return of_parts[np.searchsorted(self.offsets, positions, "right") - 1]

    def column(self, name: str, positions: Ints) -> NDArray[Any]:
        """One column of the points at some positions, in their order."""
        if len(self.parts) == 1:
            single: NDArray[Any] = getattr(self.parts[0].columns, name)[positions]
            return single
        if len(positions) > 1 and (positions[1:] < positions[:-1]).any():
            order = np.argsort(positions, kind="stable")
            ascending = self.column(name, positions[order])
            unsorted = np.empty_like(ascending)
            unsorted[order] = ascending
            return unsorted
        bounds = np.searchsorted(positions, self.offsets).tolist()
        pieces: list[NDArray[Any]] = [
            getattr(self.parts[place].columns, name)[positions[low:high] - self.offsets[place]]
            for place, (low, high) in enumerate(pairwise(bounds))
            if high > low
        ]
        if not pieces:
            return np.zeros(0, np.int64 if name == "steps" else np.float64)
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
