"""Rows that are decoded together give the same points as rows that are read line by line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.trackers.files.json_rows import JsonRows

_VALUES = st.one_of(
    st.floats(),
    st.integers(min_value=-(1 << 80), max_value=1 << 80),
    st.booleans(),
    st.none(),
    st.text(max_size=3),
    st.just([1, 2]),
    st.floats(min_value=1.6e9, max_value=1.8e9),
    st.integers(min_value=1_600_000_000_000, max_value=1_800_000_000_000),
)
_KEYS = st.sampled_from(["loss", "a", "a.b", "time", "timestamp", "ts", "x y", "名", ""])
_ROWS = st.dictionaries(_KEYS, st.one_of(_VALUES, st.dictionaries(_KEYS, _VALUES, max_size=2)), max_size=4)
_STEPS = st.one_of(st.integers(-5, 50), st.just(1 << 62), st.just(3.0), st.none(), st.just(0.5))


def _points(rows: JsonRows) -> dict[str, list[tuple[int, str, str]]]:
    found: dict[str, list[tuple[int, str, str]]] = {}
    points = rows.points()
    if points is not None:
        columns = (points.numbers, points.steps, points.walls, points.values)
        for number, step, wall, value in zip(*(column.tolist() for column in columns), strict=True):
            found.setdefault(points.tags[number], []).append((step, repr(wall), repr(value)))
    return found


def _read(lines: Iterable[bytes], *, alike: bool) -> JsonRows:
    rows = JsonRows("step")
    if not alike:
        rows._read_alike = lambda piece: False  # type: ignore[method-assign]
    for line in lines:
        rows.read(line, 0)
    return rows


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(_STEPS, _ROWS), max_size=6), st.lists(st.tuples(_STEPS, _ROWS), max_size=6))
def test_both_ways_give_the_same(first: list[Any], second: list[Any]) -> None:
    pieces = [
        b"".join(json.dumps({"step": step, **row}).encode() + b"\n" for step, row in rows) for rows in (first, second)
    ]
    # Several times, as what is known of the keys comes from the rows before.
    pieces = [*pieces, *pieces, pieces[0]]
    together, one_by_one = _read(pieces, alike=True), _read(pieces, alike=False)
    assert _points(together) == _points(one_by_one)
    assert together.damage == one_by_one.damage == []


def test_sparse_rows_are_decoded_together_once_their_keys_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [b'{"step": 1, "loss": 0.5}\n{"step": 1, "eval": {"acc": 0.25}}\n{"step": 2, "loss": null}\n'] * 3
    rows = _read(lines[:1], alike=True)
    monkeypatch.setattr(rows, "_read_lines", None)
    rows.read(lines[1], 0)
    assert _points(rows)["eval.acc"] == [(1, "nan", "0.25")] * 2


def test_damage_costs_its_line() -> None:
    good = b'{"step": 1, "loss": 0.5, "time": 1700000000.5}\n'
    rows = _read([good + b"[1]\n" + good + b'{"step": 2, "loss": NaN}\n'], alike=True)
    assert _points(rows) == {"loss": [(1, "1700000000.5", "0.5")] * 2 + [(2, repr(math.nan), repr(math.nan))]}
    assert [each.offset for each in rows.damage] == [len(good)]
