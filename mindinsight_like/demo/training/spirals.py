"""A data set of interleaved spiral arms, one class per arm."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Examples:
    """Points of the plane, one row each, and the class every point belongs to."""

    points: NDArray[np.float32]
    classes: NDArray[np.intp]


def spirals(rng: np.random.Generator, *, arms: int, size: int, noise: float = 0.12) -> Examples:
    """`size` points spread evenly over the arms, in random order, within about one unit of the origin."""
    classes = np.arange(size) % arms
    radius = rng.uniform(0.08, 1.0, size)
    angle = 2 * np.pi * classes / arms + 4.2 * radius + rng.normal(0, noise, size)
    points = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    order = rng.permutation(size)
    return Examples(points[order].astype(np.float32), classes[order])
