"""Points of objects that come one by one, such as those of a document or of lines of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindinsight_like.trackers.files.json_rows import numbers, take_wall, whole_number
from mindinsight_like.trackers.reader import Points


class PointRows:
    """Collects the numbers of objects at their steps."""

    def __init__(self, step_key: str) -> None:
        self._step_key = step_key
        self._tags: dict[str, int] = {}
        self._numbers: list[int] = []
        self._steps: list[int] = []
        self._walls: list[float] = []
        self._values: list[float] = []

    def add(self, row: dict[str, Any]) -> None:
        """Add an object, which is used up; one without a step has no points."""
        step = whole_number(row.pop(self._step_key, None))
        if step is None:
            return
        wall = take_wall(row)
        before = len(self._values)
        for tag, value in numbers(row):
            self._numbers.append(self._tags.setdefault(tag, len(self._tags)))
            self._values.append(value)
        count = len(self._values) - before
        self._steps += [step] * count
        self._walls += [wall] * count

    def points(self) -> Points | None:
        """All that was added; None when that is nothing."""
        if not self._values:
            return None
        return Points(
            list(self._tags),
            np.array(self._numbers, np.int64),
            np.array(self._steps, np.int64),
            np.array(self._walls, np.float64),
            np.array(self._values, np.float64),
        )
