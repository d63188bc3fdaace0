"""The first page of tags of a run that has a million of them, and the memory that such a run takes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import psutil

from . import ours
from .freshness import LOG_NAME, TAGS, make_backlog
from .measurements import Bench
from .processes import peak_mb
from .report import Row

_CALLS = 9
_WORKERS = 2  # by default
_PAGE_RATIO = 10.0
_WORKER_MB = 100.0
_LOADER_MB = 500.0


def million_tags(bench: Bench) -> list[Row]:
    """Yardstick: Python's own json reads the answer and writes it again."""
    with ProcessPoolExecutor(1) as pool:
        backlog = pool.submit(make_backlog, bench.data).result()
    with bench.scratch() as scratch:
        run_folder = scratch / "logs" / "run"
        run_folder.mkdir(parents=True)
        os.link(backlog / "tags" / LOG_NAME, run_folder / LOG_NAME)
        with ours.answering(scratch / "logs", scratch / "workspace", scratch) as service:
            while len(workers := _processes(service, _is_worker)) < _WORKERS:  # one answers before the other is there
                time.sleep(0.05)
            before = {worker.pid: worker.memory_info().rss / 2**20 for worker in workers}
            _wait_until_loaded(service)
            [loader] = _processes(service, lambda process: "mindinsight_like.loader" in process.cmdline())
            [run] = service.runs()
            answers, yardstick, cpu = [], [], []
            for _ in range(_CALLS):
                cpu_before = _cpu_seconds(workers)
                began = time.perf_counter()
                answer = service.get(f"runs/{run}/tags", [])
                answers.append(1e3 * (time.perf_counter() - began))
                cpu.append(1e3 * (_cpu_seconds(workers) - cpu_before))
                began = time.perf_counter()
                page = json.loads(answer)
                json.dumps(page)
                yardstick.append(1e3 * (time.perf_counter() - began))
            grown = max(peak_mb(worker) - before[worker.pid] for worker in workers)
            loader_peak = peak_mb(loader)
    assert page["more"]["scalars"]["total"] == TAGS
    name = "first page of a million tags"
    note = f"{len(page['scalars']):,} tags, first call {answers[0]:.0f} ms; yardstick: Python's json reads and writes"
    return [
        Row(name, "ms", answers, yardstick, ratio_limit=_PAGE_RATIO, note=note),
        Row(name, "CPU ms", cpu, yardstick, note="of all web workers"),
        Row("a million tags, growth of a web worker", "MB", [grown], limit=_WORKER_MB, note="while it loads, too"),
        Row("a million tags, loader", "peak MB", [loader_peak], limit=_LOADER_MB),
    ]


def _processes(service: ours.Service, is_wanted: Callable[[psutil.Process], bool]) -> list[psutil.Process]:
    return [process for process in service.process.children(recursive=True) if is_wanted(process)]


def _is_worker(process: psutil.Process) -> bool:
    """Gunicorn's workers are children of a process with the same command."""
    parent = process.parent()
    return "mindinsight_like.app" in process.cmdline() and parent is not None and parent.cmdline() == process.cmdline()


def _cpu_seconds(processes: list[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def _wait_until_loaded(service: ours.Service) -> None:
    while (loading := service.json("service")["loading"])["state"] != "idle" or loading["runs_done"] != 1:
        time.sleep(0.2)
