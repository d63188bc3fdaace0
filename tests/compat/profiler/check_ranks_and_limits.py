"""Ranks that only the framework knows, and a recording without a schedule that ends by itself, with real frameworks."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from check_profiler import PRODUCTS

import mindinsight_like as mi
from mindinsight_like.profiler.process.identity import this_process

RANKS = 2
LIMIT_SECONDS = 0.5
LONGEST_SECONDS = 120.0
# Variables of launchers, which are asked when no framework knows ranks.
_LAUNCHERS = ("RANK", "RANK_ID", "WORLD_SIZE", "RANK_SIZE", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")


def main() -> None:
    for framework in PRODUCTS:
        if importlib.util.find_spec(framework):
            check_limit(framework)
    for framework, connected in (("jax", _jax), ("mindspore", _mindspore)):
        if importlib.util.find_spec(framework):
            assert connected() == [f"{rank} of {RANKS}" for rank in range(RANKS)], framework
            print(framework, "ranks 0 and 1 of 2")


def check_limit(framework: str) -> None:
    """Nobody ends the recording; what was recorded is kept."""
    import check_profiler

    step = getattr(check_profiler, f"{framework}_step")()
    folder = Path("limited", framework)
    batch = np.ones((16, 32), np.float32)
    step(batch)  # which compiles
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        profiler = mi.Profiler(folder, framework=framework, limit_seconds=LIMIT_SECONDS)
        end = time.monotonic() + LONGEST_SECONDS
        while profiler.is_recording:
            assert time.monotonic() < end, f"{framework} still records"
            step(batch)
            profiler.step()
        profiler.stop()
    said = [str(each.message) for each in told if "limit_seconds" in str(each.message)]
    assert len(said) == 1, [str(each.message) for each in told]
    kept = [path for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in kept) > 0, kept
    print(framework, said[0])


def _jax() -> list[str]:
    address = f"127.0.0.1:{_free_port()}"
    return _said_by_ranks([["jax", address, str(rank)] for rank in range(RANKS)])


def _mindspore() -> list[str]:
    """As msrun does it: a scheduler, and workers that find each other through it."""
    common = {
        "MS_WORKER_NUM": str(RANKS),
        "MS_SCHED_HOST": "127.0.0.1",
        "MS_SCHED_PORT": str(_free_port()),
    }
    scheduler = _start(["mindspore"], {**common, "MS_ROLE": "MS_SCHED"})
    try:
        said = _said_by_ranks([["mindspore"]] * RANKS, {**common, "MS_ROLE": "MS_WORKER"})
        return sorted(said)  # who is which rank is MindSpore's choice
    finally:
        scheduler.kill()
        scheduler.communicate()


def _said_by_ranks(arguments: list[list[str]], variables: Mapping[str, str] | None = None) -> list[str]:
    processes = [_start(each, variables or {}) for each in arguments]
    try:
        outputs = [process.communicate(timeout=LONGEST_SECONDS)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    return [line.removeprefix("rank: ") for text in outputs for line in text.splitlines() if line.startswith("rank: ")]


def _start(arguments: list[str], variables: Mapping[str, str]) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if name not in _LAUNCHERS} | dict(variables)
    command = [sys.executable, __file__, *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=sys.stderr, text=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def connect(framework: str, address: str = "", rank: str = "") -> None:
    """One of several processes: connects to the others, and prints what we take it for."""
    if framework == "jax":
        import jax

        jax.distributed.initialize(address, RANKS, int(rank))
        assert jax.process_index() == int(rank)
    else:
        import mindspore
        from mindspore import communication

        mindspore.set_device("CPU")
        communication.init()
    process = this_process()
    print(f"rank: {process.rank} of {process.ranks}", flush=True)


if __name__ == "__main__":
    connect(*sys.argv[1:]) if sys.argv[1:] else main()
