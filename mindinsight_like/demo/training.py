"""Train one planned run and report what happens at every step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.demo.network import Optimiser, Weights, fresh_weights, gradients, judge, scores
from mindinsight_like.demo.pictures import png
from mindinsight_like.demo.plans import Plan
from mindinsight_like.demo.spirals import Examples, spirals

ARMS = 4
_BATCH, _TRAIN, _HELD_OUT = 64, 1200, 400
_EVALUATE_EVERY, _WEIGHTS_EVERY, _PICTURE_EVERY, _CHECKPOINT_EVERY = 10, 25, 100, 100
_PALETTE = np.array([[66, 133, 244], [219, 68, 55], [244, 180, 0], [15, 157, 88]], np.uint8)


@dataclass(frozen=True)
class Moment:
    """What one step of training has to say."""

    step: int
    scalars: dict[str, float]
    weights: Weights = field(default_factory=dict)  # for histograms; only finite ones
    pictures: dict[str, bytes] = field(default_factory=dict)  # PNG, `PICTURE_SIDE` pixels each way


PICTURE_SIDE = 64


class Training:
    """A run in progress. What one seed yields is the same every time."""

    def __init__(self, plan: Plan, *, seed: int = 0) -> None:
        data = np.random.default_rng([seed, 1])  # every run learns from the same examples
        self.plan = plan
        self.step = 0
        self._train = spirals(data, arms=ARMS, size=_TRAIN)
        self._held_out = spirals(data, arms=ARMS, size=_HELD_OUT)
        self._rng = np.random.default_rng([seed, 2, plan.seed, plan.hidden])
        self._weights = fresh_weights(self._rng, inputs=2, hidden=plan.hidden, classes=ARMS)
        self._optimiser = Optimiser(plan.optimiser)
        self._checkpoint = self._state()

    def moments(self, until: int | None = None) -> Iterator[Moment]:
        """Train step by step, to the end of the plan or as far as asked."""
        while self.step < (self.plan.steps if until is None else until):
            yield self._next()

    def back_to_checkpoint(self) -> None:
        """Forget what happened since the last checkpoint; batches drawn from now on are others than before."""
        self.step, weights, optimiser = self._checkpoint
        self._weights = {name: values.copy() for name, values in weights.items()}
        self._optimiser = optimiser.copy()

    def _next(self) -> Moment:
        self.step += 1
        rate = self._rate()
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # a diverging run is part of the show
            chosen = self._rng.integers(0, _TRAIN, _BATCH)
            batch = Examples(self._train.points[chosen], self._train.classes[chosen])
            judged, slopes = gradients(self._weights, batch, decay=self.plan.decay)
            self._optimiser.step(self._weights, slopes, rate)
            scalars = {
                "train/loss": judged.loss,
                "train/accuracy": judged.accuracy,
                "optim/lr": rate,
                "grad/norm": _norm(slopes),
                "weights/norm": _norm(self._weights),
            }
            if self._is_due(_EVALUATE_EVERY):
                held_out = judge(self._weights, self._held_out)
                scalars |= {"eval/loss": held_out.loss, "eval/accuracy": held_out.accuracy}
            healthy = all(np.isfinite(values).all() for values in self._weights.values())
            pictures = {"eval/regions": self._picture()} if healthy and self._is_due(_PICTURE_EVERY) else {}
        if self._is_due(_CHECKPOINT_EVERY):
            self._checkpoint = self._state()
        weights = self._state()[1] if healthy and self._is_due(_WEIGHTS_EVERY) else {}
        return Moment(self.step, scalars, weights, pictures)

    def _rate(self) -> float:
        """Rises in a straight line, then falls along a cosine to a tenth."""
        warm = max(1, int(self.plan.steps * self.plan.warm_up))
        if self.step <= warm:
            return self.plan.rate * self.step / warm
        progress = (self.step - warm) / max(1, self.plan.steps - warm)
        return float(self.plan.rate * (0.55 + 0.45 * np.cos(np.pi * progress)))

    def _is_due(self, every: int) -> bool:
        return self.step % every == 0 or self.step == self.plan.steps

    def _state(self) -> tuple[int, Weights, Optimiser]:
        return self.step, {name: values.copy() for name, values in self._weights.items()}, self._optimiser.copy()

    def _picture(self) -> bytes:
        """The plane in the colours of the classes the network sees, paler where it is unsure."""
        axis = np.linspace(-1.1, 1.1, PICTURE_SIDE, dtype=np.float32)
        plane = np.stack(np.meshgrid(axis, axis[::-1]), axis=2).reshape(-1, 2)
        outputs = scores(self._weights, plane)
        best = np.sort(outputs, axis=1)
        certainty: NDArray[np.float32] = np.tanh(best[:, -1:] - best[:, -2:-1])
        colours = 255 - (255 - _PALETTE[outputs.argmax(axis=1)]) * (0.25 + 0.75 * certainty)
        return png(colours.reshape(PICTURE_SIDE, PICTURE_SIDE, 3).astype(np.uint8))


def _norm(weights: Weights) -> float:
    return float(np.sqrt(sum(float((values.astype(np.float64) ** 2).sum()) for values in weights.values())))
