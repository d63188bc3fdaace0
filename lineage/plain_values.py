"""Normalise JSON values into column values: booleans, numbers and strings. Nested keys are joined by slashes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .columns import Value

_SIMPLE = frozenset((str, float, bool, type(None)))
_MOST_DEEP = 20
_MOST_CHARACTERS = 4_096  # of a value in a column
MOST_ENTRIES = 2_000  # columns that one part of a record may bring


def plain(value: Any) -> Any:
    """A value of JSON with numbers that columns can hold."""
    if type(value) in _SIMPLE:  # nearly all are, and whether something is a Mapping takes long to say
        return value
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return str(value)  # no column of numbers could tell it from its neighbours
    return value


def flattened(values: Mapping[str, Any]) -> dict[str, Value]:
    """Nested values as one level; lists of plain values become texts, empty ones and nulls are left out."""
    flat: dict[str, Value] = {}
    _flatten(values, "", flat, 0)
    return flat


def _flatten(values: Mapping[str, Any], prefix: str, flat: dict[str, Value], depth: int) -> None:
    for name, value in values.items():
        if len(flat) >= MOST_ENTRIES:
            return
        path = f"{prefix}{name}"
        if type(value) not in _SIMPLE and isinstance(value, Mapping) and depth < _MOST_DEEP:
            _flatten(value, f"{path}/", flat, depth + 1)
        elif (single := as_value(value)) is not None:
            flat[path] = single


def as_value(value: Any) -> Value | None:
    """A value of JSON as one that a column can hold; None for what says nothing."""
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else str(value)
    if isinstance(value, str):
        return value[:_MOST_CHARACTERS]
    if isinstance(value, Mapping | Sequence) and not value:
        return None
    return json.dumps(value, ensure_ascii=False, default=str)[:_MOST_CHARACTERS]
