"""Encode numbers for JSON, which has no NaN and no infinities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

NonFinite = Literal["NaN", "Infinity", "-Infinity"]
JsonNumber = float | NonFinite
NON_FINITE: tuple[NonFinite, NonFinite, NonFinite] = ("NaN", "Infinity", "-Infinity")


@overload
def number(value: float) -> JsonNumber: ...
@overload
def number(value: float | None) -> JsonNumber | None: ...
def number(value: float | None) -> JsonNumber | None:
    """The value itself, or the string that stands for a number JSON cannot hold."""
    if value is None or math.isfinite(value):
        return value
    if math.isnan(value):
        return NON_FINITE[0]
    return NON_FINITE[1] if value > 0 else NON_FINITE[2]


def json_value(value: Any) -> Any:
    """A value of JSON in which strings stand for the numbers that JSON cannot hold."""
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping):
        return {name: json_value(each) for name, each in value.items()}
    return [json_value(each) for each in value] if isinstance(value, list | tuple) else value


@overload
def column(values: npt.NDArray[np.integer[Any] | np.bool_]) -> npt.NDArray[Any]: ...
@overload
def column(values: npt.NDArray[Any]) -> npt.NDArray[Any] | list[JsonNumber]: ...
def column(values: npt.NDArray[Any]) -> npt.NDArray[Any] | list[JsonNumber]:
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
    items: list[JsonNumber] = mixed.tolist()
    return items
