"""Importance of each parameter for a result, estimated over a set of runs.

Numbers are judged by Spearman's rank correlation: how far the result rises or falls with the parameter, in a straight
line or not. Texts are judged by the correlation ratio of the result's ranks: how much of its variation lies between the
runs of different values rather than among those of the same, less what as many random groups would show. Both are
from 0 (nothing) to 1 (everything). Neither tells cause from coincidence, nor sees what two parameters do together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import BadParameter
from mindinsight_like.lineage.columns import Column, Table
from mindinsight_like.lineage.query.search import group_of

FEWEST_RUNS = 8  # with fewer, chance alone often gives strong correlations
_PARAMETERS = ("model", "hparam", "user_defined", "data")
# What follows from a run rather than decides it.
_CONSEQUENCES = ("model_size", "dataset_mark")

SPEARMAN = "rank correlation"
RATIO = "correlation ratio"
TOO_FEW, CONSTANT, ALL_DIFFERENT = "too few runs", "the same in all runs", "different in every run"


@dataclass(frozen=True)
class Importance:
    """What a parameter says about the target; `importance` is None where `reason` says why nothing can be said."""

    name: str
    importance: float | None
    direction: int  # 1: more of it, more of the target; -1: less; 0: no direction
    runs: int  # with both values
    method: str
    reason: str


def importances(table: Table, rows: NDArray[np.int64], target: str) -> list[Importance]:
    """All parameters by importance for the target over the rows; raises BadParameter for a target without numbers."""
    if target not in table:
        raise BadParameter(f"target: unknown column {target[:200]!r}.", parameter="target")
    column = table.column(target)
    if not column.is_number[rows].any():
        raise BadParameter(f"target: {target[:200]!r} has no numbers in these runs.", parameter="target")
    results = [_importance(table.column(name), column.numbers, rows) for name in parameter_names(table, target)]
    return sorted(results, key=lambda each: (each.importance is None, -(each.importance or 0.0), each.name))


def parameter_names(table: Table, target: str) -> list[str]:
    """The columns that may explain a target: what somebody decided before a run, each once."""
    return [
        name
        for name in table.names
        if (table.groups.get(name) or group_of(name)) in _PARAMETERS
        and name not in (target, *_CONSEQUENCES)
        and name not in table.repeated
    ]


def _importance(column: Column, target: NDArray[np.float64], rows: NDArray[np.int64]) -> Importance:
    is_number = column.type in ("int", "float")
    usable = column.present & np.isfinite(target)
    if is_number:
        usable &= np.isfinite(column.numbers)
    rows = rows[usable[rows]]
    method, count = SPEARMAN if is_number else RATIO, len(rows)

    def nothing(reason: str) -> Importance:
        return Importance(column.name, None, 0, count, method, reason)

    if count < FEWEST_RUNS:
        return nothing(TOO_FEW)
    results = ranked(target[rows])
    if is_number:
        values = ranked(column.numbers[rows])
        if values.min() == values.max() or results.min() == results.max():
            return nothing(CONSTANT)
        correlation = float(np.corrcoef(values, results)[0, 1])
        return Importance(column.name, abs(correlation), int(np.sign(correlation)), count, method, "")
    _, groups = np.unique(column.texts[rows], return_inverse=True)
    kinds = int(groups.max()) + 1
    if kinds == 1 or results.min() == results.max():
        return nothing(CONSTANT)
    if kinds == count:
        return nothing(ALL_DIFFERENT)
    return Importance(column.name, _ratio(groups, kinds, results), 0, count, method, "")


def _ratio(groups: NDArray[np.int64], kinds: int, results: NDArray[np.float64]) -> float:
    """The square root of epsilon squared: the share of variation between groups, adjusted for how many there are."""
    sizes = np.bincount(groups, minlength=kinds)
    means = np.bincount(groups, weights=results, minlength=kinds) / sizes
    whole = float(((results - results.mean()) ** 2).sum())
    within = float(((results - means[groups]) ** 2).sum())
    adjusted = 1.0 - (within / (len(results) - kinds)) / (whole / (len(results) - 1))
    return float(np.sqrt(max(0.0, adjusted)))


def ranked(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks from 0, equal values sharing the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return ((ends - counts + ends - 1) / 2.0)[places]


def method_description(results: Sequence[Importance]) -> str:
    """The methods that were used, for people."""
    used = [method for method in (SPEARMAN, RATIO) if any(each.method == method for each in results)]
    names = {
        SPEARMAN: "Spearman's rank correlation for numbers",
        RATIO: "the adjusted correlation ratio of ranks for texts",
    }
    return " and ".join(names[method] for method in used)
