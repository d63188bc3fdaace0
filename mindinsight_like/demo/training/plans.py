"""The planned demo runs: the parameters of each, and the failure it demonstrates."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, islice
from typing import Literal

Dialect = Literal["tensorboard", "mindspore", "visualdl"]
DIALECTS: tuple[Dialect, ...] = ("tensorboard", "mindspore", "visualdl")


@dataclass(frozen=True)
class Origin:
    """The run whose checkpoint another begins with."""

    run: str
    relation: Literal["fine-tuned from", "resumed from"]
    ending: str  # of the name of the run that begins with it
    step: int = 0  # at which it begins


@dataclass(frozen=True)
class Plan:
    """One training: parameters, and how it is logged."""

    dialect: Dialect
    optimiser: Literal["sgd", "momentum", "adam"]
    rate: float
    hidden: int
    seed: int
    steps: int = 500
    decay: float = 1e-5
    warm_up: float = 0.05  # share of the steps over which the learning rate rises to `rate`
    crash_step: int = 0  # the first attempt ends here and a second one goes on from the last checkpoint
    origin: Origin | None = None

    @property
    def name(self) -> str:
        """Where the run lies below the demo folder, telling its parameters."""
        ending = "-resumed" if self.crash_step else f"-{self.origin.ending}" if self.origin else ""
        return f"{self.dialect}/{self.optimiser}-lr{self.rate:g}-hidden{self.hidden}-seed{self.seed}{ending}"


_ADAM = Plan("tensorboard", "adam", 0.01, 64, seed=0)
_MOMENTUM = Plan("mindspore", "momentum", 0.05, 64, seed=0)
_SGD = Plan("visualdl", "sgd", 0.5, 32, seed=0)
_TUNED = Plan("tensorboard", "sgd", 0.05, 64, seed=2, origin=Origin(_ADAM.name, "fine-tuned from", "tuned"))
_GO_ON = Origin(_MOMENTUM.name, "resumed from", "longer", step=500)
_LONGER = Plan("mindspore", "momentum", 0.05, 64, seed=2, steps=800, origin=_GO_ON)
# The fifth never stops warming up: it learns, becomes unsteady, and once rate times decay exceeds two every step
# overshoots further, until the loss is infinite and then NaN.
_FIRST = (
    _ADAM,
    _MOMENTUM,
    _SGD,
    Plan("tensorboard", "adam", 0.003, 64, seed=1, crash_step=330),
    Plan("mindspore", "sgd", 60.0, 48, seed=1, decay=0.1, warm_up=1.0),
    Plan("visualdl", "adam", 0.02, 128, seed=1),
    _TUNED,
    _LONGER,
    Plan("visualdl", "adam", 0.01, 64, seed=3, origin=Origin(_TUNED.name, "fine-tuned from", "tuned")),
)
_GRID: tuple[tuple[Literal["sgd", "momentum", "adam"], float, int], ...] = (
    ("sgd", 0.1, 32),
    ("momentum", 0.1, 128),
    ("adam", 0.03, 32),
    ("sgd", 1.0, 64),
    ("momentum", 0.02, 64),
)


def plans(number: int) -> list[Plan]:
    """The first `number` runs: all dialects, a divergence and a resumed training among the first six, then some
    that begin with what others have learned."""
    return [*_FIRST, *(_further(place) for place in islice(count(len(_FIRST)), max(0, number - len(_FIRST))))][:number]


def _further(place: int) -> Plan:
    optimiser, rate, hidden = _GRID[place % len(_GRID)]
    return Plan(DIALECTS[place % len(DIALECTS)], optimiser, rate, hidden, seed=place // len(_GRID))
