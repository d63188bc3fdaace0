"""Numbers on their way into JSON, which has no NaN and no infinities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

NON_FINITE = ("NaN", "Infinity", "-Infinity")


def number(value: float | None) -> float | str | None:
    """The value itself, or the string that stands for a number JSON cannot hold."""
    if value is None or math.isfinite(value):
        return value
    if math.isnan(value):
        return NON_FINITE[0]
    return NON_FINITE[1] if value > 0 else NON_FINITE[2]


def column(values: npt.NDArray[Any]) -> npt.NDArray[Any] | list[float | str]:
    """The column ready for `orjson`: itself in almost every case, a list where a value needs a string.

    float32 is widened first: its own shortest text ("0.1") would come back as another double.
    """
    if values.dtype.kind != "f":
        return np.ascontiguousarray(values)
    widened = np.ascontiguousarray(values, dtype=np.float64)
    if np.isfinite(widened).all():
        return widened
    mixed = widened.astype(object)
    mixed[np.isnan(widened)], mixed[np.isposinf(widened)], mixed[np.isneginf(widened)] = NON_FINITE
    items: list[float | str] = mixed.tolist()
    return items
