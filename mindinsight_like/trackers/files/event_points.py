"""Points that come as one JSON event each, collected into columns."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from mindinsight_like.trackers.reader import Points

_WORDS: Final = {"nan": math.nan, "infinity": math.inf, "-infinity": -math.inf, "inf": math.inf, "-inf": -math.inf}
_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1


class EventPoints:
    """Collects points of events."""

    def __init__(self) -> None:
        self._tags: dict[str, int] = {}
        self._numbers: list[int] = []
        self._steps: list[int] = []
        self._walls: list[float] = []
        self._values: list[float] = []

    def __len__(self) -> int:
        return len(self._values)

    def add(self, tag: str, step: int, wall: float, value: float) -> None:
        self._numbers.append(self._tags.setdefault(tag, len(self._tags)))
        self._steps.append(step)
        self._walls.append(wall)
        self._values.append(value)

    def points(self) -> Points | None:
        if not self._values:
            return None
        return Points(
            list(self._tags),
            np.array(self._numbers, np.int64),
            np.array(self._steps, np.int64),
            np.array(self._walls, np.float64),
            np.array(self._values, np.float64),
        )


def number(value: Any) -> float | None:
    """A value of an event; None when it is no number, nor a word for one."""
    if isinstance(value, str):
        return _WORDS.get(value.lower())
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def whole(value: Any) -> int | None:
    """A step of an event; None when it is none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and _LOWEST <= value <= _HIGHEST else None


def unix_seconds(milliseconds: Any) -> float:
    """A time in milliseconds; NaN when it is none."""
    value = number(milliseconds)
    return math.nan if value is None or not math.isfinite(value) else value / 1000
