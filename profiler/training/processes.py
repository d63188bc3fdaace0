"""Which of a training's processes this is."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass

_RANKS = ("RANK", "RANK_ID", "PADDLE_TRAINER_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
_SIZES = ("WORLD_SIZE", "RANK_SIZE", "PADDLE_TRAINERS_NUM", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS")


@dataclass(frozen=True)
class Process:
    """The place of this process among those that train together."""

    rank: int
    ranks: int
    host: str

    @property
    def worker(self) -> str:
        """How the files of this process begin."""
        return f"{self.host}_{os.getpid()}.rank{self.rank}"


def this_process() -> Process:
    """As launchers tell by variables of the environment; alone when none does."""
    return Process(_first(_RANKS, 0), _first(_SIZES, 1), socket.gethostname() or "localhost")


def _first(names: tuple[str, ...], otherwise: int) -> int:
    for name in names:
        value = os.environ.get(name, "")
        if value.isdecimal():
            return int(value)
    return otherwise
