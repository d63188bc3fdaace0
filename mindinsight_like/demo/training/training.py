"""Train one planned run and report what happens at every step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from mindinsight_like.demo.content.images import Pixels, regions
from mindinsight_like.demo.content.views import View, look
from mindinsight_like.demo.training.network import Judgement, Optimiser, Weights, fresh_weights, gradients, judge
from mindinsight_like.demo.training.plans import Plan
from mindinsight_like.demo.training.spirals import Examples, spirals

ARMS = 4
BATCH, TRAIN, HELD_OUT = 64, 1200, 400
_EVALUATE_EVERY, _WEIGHTS_EVERY, _FILM_EVERY, _VIEW_EVERY, _CHECKPOINT_EVERY = 10, 25, 50, 100, 100
_WILD = 1e6  # of weights: there is nothing to be seen any more


@dataclass(frozen=True)
class Moment:
    """What one step of training has to say."""

    step: int
    scalars: dict[str, float]
    weights: Weights = field(default_factory=dict)  # none when they have become wild
    view: View | None = None


@dataclass(frozen=True)
class Outcome:
    """What a training has come to."""

    step: int
    train_loss: float
    held_out: Judgement
    weights: Weights
    view: View | None  # None for a network that came to nothing
    losses: list[float]  # of the batches, step by step
    film: dict[int, Pixels]  # what the network saw, by step
    way: dict[int, Weights]  # its weights, by step
    examples: Examples  # which it was judged by
    learned: Examples  # which it has learned from


class Training:
    """A run in progress. What one seed yields is the same every time."""

    def __init__(self, plan: Plan, *, seed: int = 0, weights: Weights | None = None) -> None:
        """`weights`: what it begins with, where another run has learned them."""
        data = np.random.default_rng([seed, 1])  # every run learns from the same examples
        self.plan = plan
        self.step = plan.origin.step if plan.origin else 0
        self._train = spirals(data, arms=ARMS, size=TRAIN)
        self._held_out = spirals(data, arms=ARMS, size=HELD_OUT)
        self._rng = np.random.default_rng([seed, 2, plan.seed, plan.hidden])
        fresh = fresh_weights(self._rng, inputs=2, hidden=plan.hidden, classes=ARMS)
        self._weights = fresh if weights is None else {name: values.copy() for name, values in weights.items()}
        self._optimiser = Optimiser(plan.optimiser)
        self._checkpoint = self._state()
        self._losses: dict[int, float] = {}
        self._film: dict[int, Pixels] = {}
        self._way: dict[int, Weights] = {}

    def moments(self, until: int | None = None) -> Iterator[Moment]:
        """Train step by step, to the end of the plan or as far as asked."""
        while self.step < (self.plan.steps if until is None else until):
            yield self._next()

    def back_to_checkpoint(self) -> None:
        """Forget what happened since the last checkpoint; batches drawn from now on are others than before."""
        self.step, weights, optimiser = self._checkpoint
        self._weights = {name: values.copy() for name, values in weights.items()}
        self._optimiser = optimiser.copy()

    def outcome(self) -> Outcome:
        """Where the training stands now."""
        with np.errstate(over="ignore", invalid="ignore"):
            held_out = judge(self._weights, self._held_out)
        view = look(self._weights, self._held_out) if self._is_healthy() else None
        losses = list(self._losses.values())
        _, weights, _ = self._state()
        return Outcome(
            self.step,
            losses[-1],
            held_out,
            weights,
            view,
            losses,
            self._film,
            self._way,
            examples=self._held_out,
            learned=self._train,
        )

    def _next(self) -> Moment:
        self.step += 1
        rate = self._rate()
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # a diverging run is part of the show
            chosen = self._rng.integers(0, TRAIN, BATCH)
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
                scalars |= self._evaluated()
        self._losses[self.step] = judged.loss
        if self._is_due(_CHECKPOINT_EVERY):
            self._checkpoint = self._state()
        if not (self._is_due(_WEIGHTS_EVERY) and self._is_healthy()):
            return Moment(self.step, scalars)
        _, weights, _ = self._state()
        self._way[self.step] = weights
        if not self._is_due(_FILM_EVERY):
            return Moment(self.step, scalars, weights)
        view = look(weights, self._held_out)
        self._film[self.step] = regions(view)
        return Moment(self.step, scalars, weights, view if self._is_due(_VIEW_EVERY) else None)

    def _evaluated(self) -> dict[str, float]:
        """Loss and accuracy for examples it has not learned from, and where the accuracy lies 19 times out of 20."""
        held_out = judge(self._weights, self._held_out)
        margin = 1.96 * float(np.sqrt(held_out.accuracy * (1 - held_out.accuracy) / HELD_OUT))
        return {
            "eval/loss": held_out.loss,
            "eval/accuracy": held_out.accuracy,
            "eval/accuracy_low": held_out.accuracy - margin,
            "eval/accuracy_high": held_out.accuracy + margin,
        }

    def _is_healthy(self) -> bool:
        return all(bool((np.abs(values) < _WILD).all()) for values in self._weights.values())  # false for NaN

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


def _norm(weights: Weights) -> float:
    return float(np.sqrt(sum(float((values.astype(np.float64) ** 2).sum()) for values in weights.values())))
