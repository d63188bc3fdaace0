"""Names of collective operations, one table for all libraries and versions."""

from __future__ import annotations

import re
from typing import Final

# Where a pattern may stand in the middle of other words, it says so by having no boundary.
_PATTERNS: Final = (
    r"nccl(?:Dev)?Kernel",  # NCCL's kernels: ncclKernel_... up to 2.18, ncclDevKernel_... since
    r"\bncclSymk",  # NCCL 2.27: kernels on symmetric memory
    r"\bnccl:",  # annotations of torch's process group
    r"rccl",  # AMD; its kernels have NCCL's names as well
    r"msccl",  # Microsoft
    r"\boneccl|\bxccl:",  # Intel
    r"\b(?:gloo|mpi|ucc):",  # annotations of torch's process groups on hosts
    r"hcom_|hccl",  # Ascend
    r"deep_?ep\b|deep_?ep::|nvshmem",  # experts spread over ranks
    r"cross_device_reduce",  # vLLM's own all-reduce
    r"(?:one|two)_shot_all_reduce|multimem_",  # torch's symmetric memory
    r"all_?reduce(?!d)|all_?gather|reduce_?scatter|all_?to_?all",  # by what they do, whoever wrote them
    r"\bc_(?:allreduce|broadcast|allgather|reduce|sync_comm)",  # Paddle's operators
)
_COLLECTIVE: Final = re.compile("|".join(_PATTERNS), re.IGNORECASE)
_HOST_CALL: Final = re.compile(r"^(?:c10d|_c10d_functional(?:_autograd)?)::")  # of torch's process groups
_HOST_ANNOTATION: Final = re.compile(r"^(?:gloo|nccl|mpi|ucc|xccl|hccl):", re.IGNORECASE)


def is_collective(name: str) -> bool:
    """Whether a kernel, or an operator of a device, of this name moves data between ranks."""
    return _COLLECTIVE.search(name) is not None


def is_collective_call(name: str) -> bool:
    """Whether a host's operator of this name hands a collective to a process group, and may wait for it."""
    return _HOST_CALL.match(name) is not None


def is_collective_annotation(name: str) -> bool:
    """Whether a host's annotation of this name marks the communication itself, not merely its start."""
    return _HOST_ANNOTATION.match(name) is not None
