"""A classifier of two layers with its gradients, and the optimisers that train it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.demo.training.spirals import Examples

Weights = dict[str, NDArray[np.float32]]


def fresh_weights(rng: np.random.Generator, *, inputs: int, hidden: int, classes: int) -> Weights:
    """Weights after He, biases zero."""
    return {
        "hidden/weight": rng.normal(0, np.sqrt(2 / inputs), (inputs, hidden)).astype(np.float32),
        "hidden/bias": np.zeros(hidden, np.float32),
        "output/weight": rng.normal(0, np.sqrt(2 / hidden), (hidden, classes)).astype(np.float32),
        "output/bias": np.zeros(classes, np.float32),
    }


def features(weights: Weights, points: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the hidden layer makes of points, one row each."""
    return np.asarray(np.maximum(points @ weights["hidden/weight"] + weights["hidden/bias"], 0), np.float32)


def probabilities(weights: Weights, points: NDArray[np.float32]) -> NDArray[np.float32]:
    """One row per point, one column per class; the largest is the prediction."""
    return _probabilities(_scores(weights, features(weights, points)))


@dataclass(frozen=True)
class Judgement:
    """How well the network does on some examples."""

    loss: float
    accuracy: float


def judge(weights: Weights, examples: Examples) -> Judgement:
    """Mean cross entropy and the share classified rightly; NaN is passed on, not hidden."""
    return _judge(_scores(weights, features(weights, examples.points)), examples.classes)


def gradients(weights: Weights, batch: Examples, *, decay: float) -> tuple[Judgement, Weights]:
    """The judgement of a batch before the step, and the slope of loss plus decay along every weight."""
    active = features(weights, batch.points)
    outputs = _scores(weights, active)
    slope = _probabilities(outputs)
    slope[np.arange(len(slope)), batch.classes] -= 1
    slope /= np.float32(len(slope))
    back = (slope @ weights["output/weight"].T) * (active > 0)
    return _judge(outputs, batch.classes), {
        "hidden/weight": batch.points.T @ back + np.float32(decay) * weights["hidden/weight"],
        "hidden/bias": back.sum(axis=0),
        "output/weight": active.T @ slope + np.float32(decay) * weights["output/weight"],
        "output/bias": slope.sum(axis=0),
    }


@dataclass
class Optimiser:
    """Steps down the slope: `sgd` plainly, `momentum` with inertia, `adam` with a rate per weight."""

    kind: str
    first: Weights = field(default_factory=dict)
    second: Weights = field(default_factory=dict)
    count: int = 0

    def step(self, weights: Weights, slopes: Weights, rate: float) -> None:
        """Change the weights in place."""
        self.count += 1
        for name, slope in slopes.items():
            weights[name] -= np.float32(rate) * self._direction(name, slope)

    def copy(self) -> Optimiser:
        """An optimiser that goes on from the same state by itself."""
        return Optimiser(self.kind, _copied(self.first), _copied(self.second), self.count)

    def _direction(self, name: str, slope: NDArray[np.float32]) -> NDArray[np.float32]:
        if self.kind == "sgd":
            return slope
        before = self.first.get(name, np.zeros_like(slope))
        if self.kind == "momentum":
            self.first[name] = np.float32(0.9) * before + slope
            return self.first[name]
        self.first[name] = np.float32(0.9) * before + np.float32(0.1) * slope
        self.second[name] = (
            np.float32(0.999) * self.second.get(name, np.zeros_like(slope)) + np.float32(0.001) * slope * slope
        )
        mean = self.first[name] / np.float32(1 - 0.9**self.count)
        spread = np.sqrt(self.second[name] / np.float32(1 - 0.999**self.count))
        return np.asarray(mean / (spread + np.float32(1e-8)), np.float32)


def _copied(weights: Weights) -> Weights:
    return {name: values.copy() for name, values in weights.items()}


def _scores(weights: Weights, active: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(active @ weights["output/weight"] + weights["output/bias"], np.float32)


def _probabilities(outputs: NDArray[np.float32]) -> NDArray[np.float32]:
    grown = np.exp(outputs - outputs.max(axis=1, keepdims=True))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True), np.float32)


def _judge(outputs: NDArray[np.float32], classes: NDArray[np.intp]) -> Judgement:
    top = outputs.max(axis=1, keepdims=True)
    spread = np.log(np.exp(outputs - top).sum(axis=1)) + top[:, 0]
    own = outputs[np.arange(len(outputs)), classes]
    return Judgement(float((spread - own).mean()), float((outputs.argmax(axis=1) == classes).mean()))
