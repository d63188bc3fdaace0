"""Median without numpy's own, whose import of masked arrays costs 1 % of an analysis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def median(values: ArrayLike) -> Any:
    """Of each column of a table, or of a list; there must be a value, and none that is not a number."""
    ordered = np.sort(np.asarray(values, np.float64), axis=0)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2
