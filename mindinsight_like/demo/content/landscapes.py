"""Loss landscape around the path of a training."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.demo.training.network import Weights, judge
from mindinsight_like.demo.training.spirals import Examples

_SIDE = 16


def landscape(way: Mapping[int, Weights], examples: Examples) -> dict[str, object]:
    """A landscape for MindSpore's records: weights by step, seen on the plane in which they vary most."""
    last = list(way.values())[-1]
    places = np.stack([_flat(weights) for weights in way.values()])
    origin = places[-1]
    _, _, directions = np.linalg.svd(places - origin, full_matrices=False)
    path = (places - origin) @ directions[:2].T
    reach = 1.2 * np.abs(path).max(axis=0)
    x, y = (np.linspace(-each, each, _SIDE) for each in reach)

    def loss(across: float, down: float) -> float:
        return judge(_unflat(origin + across * directions[0] + down * directions[1], last), examples).loss

    return {
        "x": x,
        "y": y,
        "z": np.array([[loss(across, down) for across in x] for down in y]),
        "path": (path[:, 0], path[:, 1], [judge(weights, examples).loss for weights in way.values()]),
        "intervals": list(way),
        "convergence_point": (0.0, 0.0, judge(last, examples).loss),
        "decomposition": "PCA",
        "unit": "step",
        "step_per_epoch": 1,
    }


def _flat(weights: Weights) -> NDArray[np.float64]:
    return np.concatenate([values.ravel() for values in weights.values()]).astype(np.float64)


def _unflat(numbers: NDArray[np.float64], like: Weights) -> Weights:
    weights, begin = {}, 0
    for name, values in like.items():
        part = numbers[begin : begin + values.size]
        weights[name] = part.reshape(values.shape).astype(np.float32)
        begin += values.size
    return weights
