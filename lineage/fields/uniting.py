"""Unite the columns of a canonical field: one value per run, one spelling per value, and where sources disagree."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TypeVar

from mindinsight_like.lineage.columns import Column, Value

_V = TypeVar("_V", bound=Value | None)

_TOLERANCE = 1e-4  # relative; logs hold single precision, and people round


def united(name: str, sources: Sequence[Column]) -> Column:
    """The column of a field: for each row the value of the first source that has one."""
    if not sources:
        return Column(name, [])
    types = {source.type for source in sources if source.count}
    if len(sources) == 1 and types != {"text"}:
        return sources[0].renamed(name)
    values = list(sources[0].values)
    for source in sources[1:]:
        values = [other if value is None else value for value, other in zip(values, source.values, strict=True)]
    if "text" in types or "mixed" in types:
        spelling = _common_spelling(chain.from_iterable(source.values for source in sources))
        if types != {"text"}:
            values = [_as_number(value) for value in values]
        values = [spelling.get(_key(value), value) if isinstance(value, str) else value for value in values]
    return Column(name, values)


def disagreeing(entries: Sequence[tuple[str, Value]]) -> list[tuple[str, Value]]:
    """The values of one run by source that are not all the same, the first of each; empty where they are."""
    different: list[tuple[str, Value]] = []
    for name, value in entries:
        if not any(is_same(value, other) for _, other in different):
            different.append((name, value))
    return different if len(different) > 1 else []


def is_same(one: Value, other: Value) -> bool:
    """Whether two sources say the same: numbers but for rounding, texts but for upper and lower case."""
    left, right = _as_number(one), _as_number(other)
    if isinstance(left, str) or isinstance(right, str):
        return isinstance(left, str) and isinstance(right, str) and _key(left) == _key(right)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return math.isclose(left, right, rel_tol=_TOLERANCE) or (left != left and right != right)


def _as_number(value: _V) -> _V | int | float:
    """The number that a text stands for: some dialects log all parameters as texts."""
    if not isinstance(value, str) or not value[:1].lstrip("+-.").isdigit():
        return value
    try:
        return int(value) if value.isdigit() else float(value)
    except ValueError:
        return value


def _common_spelling(values: Iterable[Value | None]) -> dict[str, str]:
    """How most sources write texts that differ in upper and lower case only."""
    spelling: dict[str, str] = {}
    for text, _ in Counter(value for value in values if isinstance(value, str)).most_common():
        spelling.setdefault(_key(text), text)
    return spelling


def _key(text: str) -> str:
    return text.strip().casefold()
