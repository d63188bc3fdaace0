"""Run several analyses at once, in a process pool or on a Dask cluster."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import get_context

from mindinsight_like.jobs.working import end_with_parent
from mindinsight_like.profiler.jobs.analysis_folder import AnalysisFolder, Status
from mindinsight_like.profiler.jobs.analysis_work import Work, work

LockedJobs = Mapping[Work, tuple[AnalysisFolder, int]]  # jobs with their locks, which are closed when a job is done

HOW_TO_INSTALL = "analyses on a Dask scheduler need a package: pip install distributed"
_KILLED = "the process that analysed it was ended, perhaps for want of memory; it can be started again"


def run_all(jobs: LockedJobs, *, processes: int, scheduler: str) -> None:
    """Does all of the jobs; each tells how it went as soon as it is done."""
    if scheduler:
        _on_dask(jobs, scheduler)
    elif len(jobs) == 1:
        ((task, (job, lock)),) = jobs.items()
        _settle(job, lock, work(task))
    else:
        left = _in_pool(jobs, processes)
        # When one process of a pool is killed, nobody can tell whose work it did: each of the rest gets its own.
        for task in left:
            job, lock = jobs[task]
            if _in_pool({task: jobs[task]}, 1):
                _settle(job, lock, _KILLED)


def _in_pool(jobs: LockedJobs, processes: int) -> list[Work]:
    """Does the jobs in a pool; gives those that are not done because the pool broke."""
    with ProcessPoolExecutor(
        min(processes, len(jobs)), get_context("spawn"), initializer=_watch, initargs=(os.getpid(),)
    ) as pool:
        return _through(pool, jobs)


def _watch(parent: int) -> None:
    threading.Thread(target=end_with_parent, args=(parent,), daemon=True).start()


def _through(executor: Executor, jobs: LockedJobs) -> list[Work]:
    futures = {executor.submit(work, task): task for task in jobs}
    broken = []
    for future in as_completed(futures):
        task = futures[future]
        try:
            outcome = future.result()
        except BrokenProcessPool:
            broken.append(task)
            continue
        except Exception as error:  # of the executor, such as a Dask worker that was lost
            outcome = f"the analysis failed: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
        _settle(*jobs[task], outcome)
    return broken


def _on_dask(jobs: LockedJobs, scheduler: str) -> None:
    """Workers must see the base dir and the workspace under the same paths."""
    try:
        with _dask_executor(scheduler) as executor:
            _through(executor, jobs)
    except (ImportError, OSError) as error:
        message = HOW_TO_INSTALL if isinstance(error, ImportError) else f"no Dask scheduler at {scheduler}: {error}"
        for job, lock in jobs.values():
            if (status := job.status()) is not None and status.state not in ("ready", "failed"):
                _settle(job, lock, message)


@contextmanager
def _dask_executor(scheduler: str) -> Iterator[Executor]:
    distributed = import_module("distributed")  # large, optional, and with functions that have no types
    with distributed.Client(scheduler, timeout="5s") as client:
        yield client.get_executor()


def _settle(job: AnalysisFolder, lock: int, outcome: Status | str) -> None:
    if isinstance(outcome, str):
        job.fail(outcome)
    else:
        job.finish(outcome)
    os.close(lock)
