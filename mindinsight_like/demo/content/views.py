"""Predictions of a network on a grid over the plane and on held-out examples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.demo.training.network import Weights, features, probabilities
from mindinsight_like.demo.training.spirals import Examples

SIDE = 64  # points of the plane, each way
_REACH = 1.1  # of the plane, from the origin


@dataclass(frozen=True)
class View:
    """Probabilities of every class (the last axis), over the plane with y pointing up, and for the examples."""

    plane: NDArray[np.float32]  # SIDE x SIDE x classes
    examples: Examples
    answers: NDArray[np.float32]
    features: NDArray[np.float32]  # of the hidden layer, one row per example

    @property
    def confusion(self) -> NDArray[np.int64]:
        """How often a class (the row) was taken for another (the column)."""
        classes = self.answers.shape[1]
        pairs = self.examples.classes * classes + self.answers.argmax(axis=1)
        return np.bincount(pairs, minlength=classes * classes).reshape(classes, classes)


def look(weights: Weights, examples: Examples) -> View:
    """The view of a network with these weights."""
    axis = np.linspace(-_REACH, _REACH, SIDE, dtype=np.float32)
    points = np.stack(np.meshgrid(axis, axis[::-1]), axis=2).reshape(-1, 2)
    return View(
        probabilities(weights, points).reshape(SIDE, SIDE, -1),
        examples,
        probabilities(weights, examples.points),
        features(weights, examples.points),
    )


def place(points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Columns and rows, counted from the left top of the plane, of points given by x and y."""
    shares = (points * np.array([1, -1], np.float32) + np.float32(_REACH)) / np.float32(2 * _REACH)
    return np.asarray(shares * SIDE, np.float32)
