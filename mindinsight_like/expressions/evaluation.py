"""Evaluation of expressions: arrays of points of one run, and those of the baseline, combined where steps match.

All points count, without downsampling. Where two curves are combined, the result has the steps that both have (the wall
times, if one was logged without steps), the later of both wall times, and NaN or an infinity where the arithmetic of
floating-point numbers gives it, as for a division by zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.expressions.parser import Call, Expression, Node, Number, Operation, Tag
from mindinsight_like.store.result_types import Curve
from mindinsight_like.store.segments.curves import smooth

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Points:
    """Points in the order of their steps; of a curve without steps, of their wall times."""

    steps: Ints
    wall_times: Floats
    values: Floats
    has_steps: bool
    start_time: float

    @classmethod
    def of(cls, curve: Curve) -> Points:
        values = np.asarray(curve.values, np.float64)
        return cls(curve.steps, curve.wall_times, values, curve.has_steps, curve.start_time)


Value: TypeAlias = "float | Points"
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}


class NoPoints(Exception):
    """A run has no curve of a tag that the expression names."""


def evaluate(expression: Expression, curves: Mapping[str, Points], baseline: Mapping[str, Points]) -> Points:
    """The curve of an expression from those of a run by tag, and those of the baseline; raises NoPoints."""
    with np.errstate(all="ignore"):
        value = _Evaluation(curves, baseline).of(expression.root)
    if isinstance(value, float):  # an expression names a tag
        raise NoPoints
    return value


class _Evaluation:
    """Each part of the expression is computed once for the run, and once for the baseline where differences need it."""

    def __init__(self, curves: Mapping[str, Points], baseline: Mapping[str, Points]) -> None:
        self._curves = curves
        self._base = self if curves is baseline else _Evaluation(baseline, baseline)
        self._known: dict[int, Value] = {}

    def of(self, node: Node) -> Value:
        if id(node) not in self._known:
            self._known[id(node)] = self._computed(node)
        return self._known[id(node)]

    def _computed(self, node: Node) -> Value:
        if isinstance(node, Number):
            return node.value
        if isinstance(node, Tag):
            if (points := self._curves.get(node.name)) is None:
                raise NoPoints
            return points
        if isinstance(node, Operation):
            return _combined(node.sign, self.of(node.left), self.of(node.right))
        return self._called(node)

    def _called(self, call: Call) -> Value:
        of = self.of(call.of)
        if call.function == "delta":
            return _combined("-", of, self._base.of(call.of))
        if isinstance(of, float):
            return of if call.function == "ema" else float((np.abs if call.function == "abs" else np.log)(of))
        if call.function == "ema":
            return replace(of, values=smooth(of.values, call.weight))
        return replace(of, values=(np.abs if call.function == "abs" else np.log)(of.values))


def _combined(sign: str, left: Value, right: Value) -> Value:
    operation = _SIGNS[sign]
    if isinstance(left, float) and isinstance(right, float):
        return float(operation(np.float64(left), np.float64(right)))
    if isinstance(left, float):
        assert isinstance(right, Points)
        return replace(right, values=operation(left, right.values))
    if isinstance(right, float):
        return replace(left, values=operation(left.values, right))
    if left.steps is right.steps or (_match_by_step(left, right) and np.array_equal(left.steps, right.steps)):
        walls = np.fmax(left.wall_times, right.wall_times)
        return replace(left, wall_times=walls, values=operation(left.values, right.values))
    if _match_by_step(left, right):
        steps, own, other = np.intersect1d(left.steps, right.steps, assume_unique=True, return_indices=True)
    else:
        _, own, other = np.intersect1d(left.wall_times, right.wall_times, return_indices=True)
        steps = (left if left.has_steps else right).steps[own if left.has_steps else other]
    return Points(
        steps,
        np.fmax(left.wall_times[own], right.wall_times[other]),
        operation(left.values[own], right.values[other]),
        left.has_steps or right.has_steps,
        min(left.start_time, right.start_time),
    )


def _match_by_step(left: Points, right: Points) -> bool:
    return left.has_steps and right.has_steps
