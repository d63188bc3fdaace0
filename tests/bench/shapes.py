"""The shapes and flavours of the logs that are measured."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

Flavour = Literal["tb", "tb2", "ms", "vdl"]
FLAVOURS: tuple[Flavour, ...] = get_args(Flavour)


@dataclass(frozen=True)
class Shape:
    """A folder of `runs`, each with one file that holds every tag at the steps 1 to `steps`."""

    name: str
    runs: int
    tags: int
    steps: int
    spike_step: int = 0  # here every tag jumps to SPIKE for one step; 0 for nowhere

    @property
    def points(self) -> int:
        return self.runs * self.tags * self.steps

    @property
    def tag_names(self) -> list[str]:
        return [f"{('train', 'eval')[place % 2]}/value_{place:02d}" for place in range(self.tags)]

    @property
    def run_names(self) -> list[str]:
        return [f"run_{place:05d}" for place in range(self.runs)]

    def folder(self, data: Path, flavour: Flavour) -> Path:
        """Where the logs of this shape lie."""
        return data / f"{self.name}-{flavour}"


SPIKE = 12_345.0  # ordinary values stay within a few hundred of zero

SHAPES = {
    shape.name: shape
    for shape in (
        Shape("S", 10, 20, 1_000),
        Shape("M", 100, 20, 2_000),
        Shape("L", 20, 50, 20_000),
        Shape("W", 2_000, 10, 50),
        Shape("tenmillion", 1, 1, 10_000_000, spike_step=6_180_339),
        Shape("idle", 100_000, 1, 2),
    )
}
