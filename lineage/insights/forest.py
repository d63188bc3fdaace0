"""Importance of parameters by a model that sees them together: a random forest and permutation importance.

The forest predicts the target from all parameters. A parameter's importance is how much of the explained variance is
lost when its values are shuffled among runs that the forest has not seen, so parameters that matter only together
count, too. The fit on those unseen runs says whether the numbers mean anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.lineage.columns import Column, Table

from .importance import parameter_names

FEWEST_RUNS: Final = 20  # with fewer, a model learns them by heart
MOST_RUNS: Final = 5_000  # a random sample of more says the same
_MOST_PARAMETERS: Final = 60
_FOLDS: Final = 5
_TREES: Final = 200
_SHUFFLES: Final = 5


@dataclass(frozen=True)
class Features:
    """Parameters and target of some runs as numbers; texts are numbered."""

    names: list[str]
    values: NDArray[np.float64]  # a row per run, a column per parameter; NaN: no value
    target: NDArray[np.float64]


@dataclass(frozen=True)
class ForestImportance:
    name: str
    importance: float  # share of the target's variance that is no longer explained without it
    sd: float  # over the folds


@dataclass(frozen=True)
class ForestFit:
    r2: float  # share of the variance of unseen runs that is explained, 0 or less: nothing
    r2_sd: float  # over the folds
    parameters: list[ForestImportance]  # most important first


def features(table: Table, rows: NDArray[np.int64], target: str) -> Features:
    """What a forest learns from: the parameters that differ among the runs with a number for the target."""
    column = table.column(target)
    rows = rows[np.isfinite(column.numbers[rows]) & column.is_number[rows]]
    if len(rows) > MOST_RUNS:
        rows = np.sort(np.random.default_rng(0).choice(rows, MOST_RUNS, replace=False))
    encoded = {name: _encoded(table.column(name), rows) for name in parameter_names(table, target)}
    differing = {name: values for name, values in encoded.items() if _differs(values)}
    names = sorted(differing, key=lambda name: -int(np.isfinite(differing[name]).sum()))[:_MOST_PARAMETERS]
    values = np.column_stack([differing[name] for name in names]) if names else np.zeros((len(rows), 0))
    return Features(names, values, column.numbers[rows])


def _encoded(column: Column, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    if column.type in ("int", "float"):
        numbers = column.numbers[rows]
        return np.where(np.isfinite(numbers), numbers, np.nan)
    _, codes, counts = np.unique(column.texts[rows], return_inverse=True, return_counts=True)
    if len(counts) > len(rows) / 2:
        return np.full(len(rows), np.nan)  # a name of its own for nearly every run explains nothing
    by_count = np.empty(len(counts))
    by_count[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return np.where(column.present[rows], by_count[codes], np.nan)


def _differs(values: NDArray[np.float64]) -> bool:
    finite = values[np.isfinite(values)]
    return len(finite) > 0 and (len(finite) < len(values) or bool((finite != finite[0]).any()))


def fit(data: Features, report: Callable[[float], None] = lambda _: None) -> ForestFit:
    """Fit the forest on parts of the runs and judge it and the parameters on the others; needs scikit-learn."""
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import KFold

    # A number of its own for what is missing: also trees of older versions take it.
    low = np.nanmin(data.values, axis=0) if data.values.size else np.zeros(0)
    values = np.where(np.isnan(data.values), low - 1.0, data.values)
    scores: list[float] = []
    drops: list[NDArray[np.float64]] = []
    folds = KFold(_FOLDS, shuffle=True, random_state=0)
    for fold, (train, test) in enumerate(folds.split(values)):
        forest = RandomForestRegressor(_TREES, min_samples_leaf=2, max_features=0.6, random_state=fold, n_jobs=1)
        forest.fit(values[train], data.target[train])
        scores.append(float(forest.score(values[test], data.target[test])))
        shuffled = permutation_importance(
            forest, values[test], data.target[test], n_repeats=_SHUFFLES, random_state=fold, n_jobs=1
        )
        drops.append(np.asarray(shuffled.importances_mean, np.float64))
        report((fold + 1) / _FOLDS)
    means, deviations = np.mean(drops, axis=0), np.std(drops, axis=0)
    parameters = [
        ForestImportance(name, max(0.0, float(mean)), float(sd))
        for name, mean, sd in zip(data.names, means, deviations, strict=True)
    ]
    parameters.sort(key=lambda each: (-each.importance, each.name))
    return ForestFit(float(np.mean(scores)), float(np.std(scores)), parameters)


def too_little(data: Features) -> str:
    """Why nothing can be learned from some runs; empty if it can."""
    if len(data.target) < FEWEST_RUNS:
        return f"a model needs at least {FEWEST_RUNS} runs with the target, there are {len(data.target)}"
    if not data.names:
        return "no parameter differs between these runs"
    if bool((data.target == data.target[0]).all()):
        return "the target is the same in all these runs"
    return ""
