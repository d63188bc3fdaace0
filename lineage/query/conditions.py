"""Condition tree over lineage columns, and its evaluation to a row mask.

A row without a value in a column matches no comparison with it, only `Missing`. Numbers are compared with numbers
and strings with strings; other pairs never match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import BadParameter
from mindinsight_like.lineage.columns import Column, Table, Value

OPERATORS = ("eq", "ne", "lt", "le", "gt", "ge", "in", "not_in", "contains")
_LISTS = ("in", "not_in")
_MOST_VALUES = 100_000  # of one list

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Comparison:
    column: str
    operator: str  # one of OPERATORS
    value: Value | tuple[Value, ...]


@dataclass(frozen=True)
class Missing:
    """Rows without a value."""

    column: str


@dataclass(frozen=True)
class Not:
    condition: Condition


@dataclass(frozen=True)
class All:
    """Every one of the conditions; without any, all rows."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    conditions: tuple[Condition, ...]


Condition = Comparison | Missing | Not | All | AnyOf

EVERYTHING = All(())


def evaluate(condition: Condition, table: Table) -> Mask:
    """Mask of the rows of the table that match a condition."""
    match condition:
        case Comparison():
            return _compare(table.column(condition.column), condition)
        case Missing():
            return ~table.column(condition.column).present
        case Not():
            return ~evaluate(condition.condition, table)
        case All():
            mask = np.ones(len(table), bool)
            for part in condition.conditions:
                mask &= evaluate(part, table)
            return mask
        case AnyOf():
            mask = np.zeros(len(table), bool)
            for part in condition.conditions:
                mask |= evaluate(part, table)
            return mask


def _compare(column: Column, condition: Comparison) -> Mask:
    value = condition.value
    if condition.operator in _LISTS:
        assert isinstance(value, tuple)
        mask = column.equal_to_any(value)
        return mask if condition.operator == "in" else ~mask & column.present
    assert not isinstance(value, tuple)
    match condition.operator:
        case "eq":
            return column.equal_to(value)
        case "ne":
            return ~column.equal_to(value) & column.present
        case "contains":
            return column.containing(str(value))
    if isinstance(value, str):
        return column.is_text & _compare_order(column.texts, condition.operator, value)
    return column.is_number & _compare_order(column.numbers, condition.operator, float(value))


def _compare_order(values: NDArray[Any], operator: str, limit: str | float) -> Mask:
    match operator:
        case "lt":
            mask = values < limit
        case "le":
            mask = values <= limit
        case "gt":
            mask = values > limit
        case _:
            mask = values >= limit
    return np.asarray(mask, bool)


def columns_of(condition: Condition) -> Iterator[str]:
    """The names of the columns a condition looks at."""
    match condition:
        case Comparison() | Missing():
            yield condition.column
        case Not():
            yield from columns_of(condition.condition)
        case All() | AnyOf():
            for part in condition.conditions:
                yield from columns_of(part)


def from_json(where: object) -> Condition:
    """The condition `{column: {operator: value, ...}, ...}`, all of which is to hold; raises BadParameter."""
    if where is None:
        return EVERYTHING
    if not isinstance(where, Mapping):
        raise BadParameter('where: expected an object of columns such as {"loss": {"lt": 0.5}}')
    return All(tuple(part for column, tests in where.items() for part in _tests(str(column), tests)))


def _tests(column: str, tests: object) -> Iterator[Comparison]:
    if not isinstance(tests, Mapping):
        raise BadParameter(f'where: {column!r} needs an object of operators such as {{"eq": 1}}')
    for operator, value in tests.items():
        if operator not in OPERATORS:
            raise BadParameter(
                f"where: {column!r} has the unknown operator {operator!r}; expected one of {', '.join(OPERATORS)}"
            )
        yield Comparison(column, operator, _check_value(column, operator, value))


def _check_value(column: str, operator: str, value: object) -> Value | tuple[Value, ...]:
    if operator in _LISTS:
        if not isinstance(value, list | tuple):
            raise BadParameter(f"where: {column!r} {operator} needs a list")
        if len(value) > _MOST_VALUES:
            raise BadParameter(f"where: {column!r} {operator} has more than {_MOST_VALUES:,} values")
        return tuple(_check_scalar(column, operator, each) for each in value)
    return _check_scalar(column, operator, value)


def _check_scalar(column: str, operator: str, value: object) -> Value:
    if not isinstance(value, bool | int | float | str):
        raise BadParameter(f"where: {column!r} {operator} needs a number, a string or a boolean")
    if operator == "contains" and not isinstance(value, str):
        raise BadParameter(f"where: {column!r} contains needs a string")
    if isinstance(value, bool) and operator in ("lt", "le", "gt", "ge"):
        raise BadParameter(f"where: {column!r} {operator}: booleans have no order")
    return value
