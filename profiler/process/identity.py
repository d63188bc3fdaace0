"""Identity of this process in its training: rank, number of ranks, host."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
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
    """As the framework says once it connects the ranks; before, as launchers say by variables of the environment.

    Alone when nobody says anything.
    """
    host = socket.gethostname() or "localhost"
    for ask in (_torch, _mindspore, _jax, _paddle):
        with suppress(Exception):  # of other versions than those we know
            if (rank_and_size := ask()) is not None:
                return Process(*rank_and_size, host)
    return Process(_first(_RANKS, 0), _first(_SIZES, 1), host)


def _torch() -> tuple[int, int] | None:
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return None
    return distributed.get_rank(), distributed.get_world_size()


def _mindspore() -> tuple[int, int] | None:
    communication = sys.modules.get("mindspore.communication")
    if communication is None or not communication.GlobalComm.INITED:
        return None
    return communication.get_rank(), communication.get_group_size()


def _jax() -> tuple[int, int] | None:
    # `jax.process_index()` would look for devices, and make them ready for use.
    distributed = sys.modules.get("jax._src.distributed")
    if distributed is None or distributed.global_state.client is None:
        return None
    return distributed.global_state.process_id, distributed.global_state.num_processes


def _paddle() -> tuple[int, int] | None:
    distributed = sys.modules.get("paddle.distributed")
    if distributed is None or not distributed.is_initialized():
        return None
    return distributed.get_rank(), distributed.get_world_size()


def _first(names: tuple[str, ...], otherwise: int) -> int:
    for name in names:
        value = os.environ.get(name, "")
        if value.isdecimal():
            return int(value)
    return otherwise
