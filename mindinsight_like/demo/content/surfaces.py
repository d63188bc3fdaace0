"""The confidence of a network as a mesh above the plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.demo.content.images import colours
from mindinsight_like.demo.content.views import SIDE, View

_EVERY = 3  # point of the plane


@dataclass(frozen=True)
class Surface:
    """A mesh, as (1, number, 3): places, colours from 0 to 255, and the three corners of every face."""

    vertices: NDArray[np.float32]
    colours: NDArray[np.uint8]
    faces: NDArray[np.int32]


def surface(view: View) -> Surface:
    """The probability of the most probable class as height, in the colour of that class."""
    chosen = slice(None, None, _EVERY)
    height = view.plane.max(axis=2)[chosen, chosen]
    side = len(height)
    axis = np.arange(0, SIDE, _EVERY, dtype=np.float32) / SIDE * 2 - 1
    across, down = np.meshgrid(axis, -axis)
    vertices = np.stack([across, down, height], axis=2).reshape(1, -1, 3)
    first = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).reshape(-1)  # the left top of every square
    upper = np.stack([first, first + side, first + 1], axis=1)
    lower = np.stack([first + 1, first + side, first + side + 1], axis=1)
    faces = np.concatenate([upper, lower])[None].astype(np.int32)
    return Surface(vertices.astype(np.float32), colours(view)[chosen, chosen].reshape(1, -1, 3), faces)
