"""Which demo runs there are: the parameters of each, and what goes wrong in it."""

from dataclasses import dataclass
from itertools import count, islice
from typing import Literal

Dialect = Literal["tensorboard", "mindspore", "visualdl"]
DIALECTS: tuple[Dialect, ...] = ("tensorboard", "mindspore", "visualdl")


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

    @property
    def name(self) -> str:
        """Where the run lies below the demo folder, telling its parameters."""
        ending = "-resumed" if self.crash_step else ""
        return f"{self.dialect}/{self.optimiser}-lr{self.rate:g}-hidden{self.hidden}-seed{self.seed}{ending}"


# The last but one never stops warming up: it learns, becomes unsteady, and once rate times decay exceeds two every step
# overshoots further, until the loss is infinite and then NaN.
_FIRST = (
    Plan("tensorboard", "adam", 0.01, 64, seed=0),
    Plan("mindspore", "momentum", 0.05, 64, seed=0),
    Plan("visualdl", "sgd", 0.5, 32, seed=0),
    Plan("tensorboard", "adam", 0.003, 64, seed=1, crash_step=330),
    Plan("mindspore", "sgd", 60.0, 48, seed=1, decay=0.1, warm_up=1.0),
    Plan("visualdl", "adam", 0.02, 128, seed=1),
)
_GRID: tuple[tuple[Literal["sgd", "momentum", "adam"], float, int], ...] = (
    ("sgd", 0.1, 32),
    ("momentum", 0.1, 128),
    ("adam", 0.03, 32),
    ("sgd", 1.0, 64),
    ("momentum", 0.02, 64),
)


def plans(number: int) -> list[Plan]:
    """The first `number` runs: all dialects, a divergence and a resumed training among the first six."""
    return [*_FIRST, *(_further(place) for place in islice(count(len(_FIRST)), max(0, number - len(_FIRST))))][:number]


def _further(place: int) -> Plan:
    optimiser, rate, hidden = _GRID[place % len(_GRID)]
    return Plan(DIALECTS[place % len(DIALECTS)], optimiser, rate, hidden, seed=place // len(_GRID))
