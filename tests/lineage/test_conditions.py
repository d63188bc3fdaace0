"""Conditions on columns, beside a slow version that looks at one value after the other."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.errors import BadParameter
from mindinsight_like.lineage.columns import Table, type_of
from mindinsight_like.lineage.query.conditions import All, Comparison, evaluate, from_json

VALUES = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-5, 5) | st.just(math.nan) | st.sampled_from("abcB")
ORDERED = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def same(one: object, other: object) -> bool:
    if is_number(one) and is_number(other):
        return one == other
    return type(one) is type(other) and one == other


def slow(value: Any, test: str, wanted: Any) -> bool:
    if value is None:
        return False
    match test:
        case "eq":
            return same(value, wanted)
        case "ne":
            return not same(value, wanted)
        case "in":
            return any(same(value, each) for each in wanted)
        case "not_in":
            return not any(same(value, each) for each in wanted)
    if is_number(value) != is_number(wanted) or isinstance(value, bool):
        return False
    return bool(ORDERED[test](value, wanted))


def rows(values: list[Any]) -> Table:
    return Table([{} if value is None else {"x": value} for value in values])


@given(
    st.lists(VALUES, max_size=20),
    VALUES.filter(lambda value: value is not None),
    st.sampled_from(["eq", "ne", *ORDERED]),
)
def test_comparisons_keep_what_a_look_at_each_value_keeps(values: list[Any], wanted: Any, test: str) -> None:
    if isinstance(wanted, bool) and test in ORDERED:
        return
    assert evaluate(Comparison("x", test, wanted), rows(values)).tolist() == [
        slow(value, test, wanted) for value in values
    ]


@given(st.lists(VALUES, max_size=20), st.lists(VALUES.filter(lambda value: value is not None), max_size=5))
def test_lists_keep_what_a_look_at_each_value_keeps(values: list[Any], wanted: list[Any]) -> None:
    for test in ("in", "not_in"):
        expected = [slow(value, test, wanted) for value in values]
        assert evaluate(Comparison("x", test, tuple(wanted)), rows(values)).tolist() == expected


@given(st.lists(VALUES, max_size=20), st.booleans())
def test_orders_are_stable_and_put_nan_and_rows_without_a_value_last(values: list[Any], descending: bool) -> None:
    table = rows(values)
    order = table.order("x", descending=descending).tolist()
    assert sorted(order) == list(range(len(values)))
    sorted_values = [values[place] for place in order]
    present = [value for value in sorted_values if value is not None]
    assert sorted_values == present + [None] * (len(values) - len(present))
    is_nan = [value != value for value in present]
    assert is_nan == sorted(is_nan)
    ranks = table.column("x").ranks[order[: is_nan.count(False)]]
    steps = np.diff(ranks) * (-1 if descending else 1)
    assert (steps >= 0).all()
    for left, right, step in zip(order, order[1:], steps, strict=False):
        assert step > 0 or left < right


def test_types_fit_all_values() -> None:
    assert type_of([1, None, 2]) == "int"
    assert type_of([1, 2.5]) == "float"
    assert type_of(["a", None]) == "text"
    assert type_of([True, False]) == "bool"
    assert type_of(["a", 1]) == "mixed"


def test_json_conditions_hold_all_together() -> None:
    where = {"loss": {"lt": 0.5, "ge": 0.1}, "network": {"in": ["LeNet", "ResNet"]}}
    assert from_json(where) == All(
        (
            Comparison("loss", "lt", 0.5),
            Comparison("loss", "ge", 0.1),
            Comparison("network", "in", ("LeNet", "ResNet")),
        )
    )


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ([], "expected an object"),
        ({"loss": 3}, "needs an object of operators"),
        ({"loss": {"below": 3}}, "expected one of eq, ne"),
        ({"loss": {"in": 3}}, "needs a list"),
        ({"loss": {"eq": None}}, "needs a number, a string"),
        ({"loss": {"eq": [1]}}, "needs a number, a string"),
        ({"loss": {"contains": 3}}, "needs a string"),
        ({"loss": {"lt": True}}, "no order"),
    ],
)
def test_json_conditions_that_make_no_sense_are_refused(where: Any, words: str) -> None:
    with pytest.raises(BadParameter, match=words):
        from_json(where)
