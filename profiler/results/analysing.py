"""Reading and analysing one recording, wherever that happens: here, in a pool of processes, on a Dask worker."""

from __future__ import annotations

import logging
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mindinsight_like.jobs.folder import READY, RUNNING
from mindinsight_like.jobs.working import wait_for_turn
from mindinsight_like.profiler.results.job import AnalysisFolder, Status
from mindinsight_like.profiler.traces.files import Files, Progress, Unreadable

log = logging.getLogger("mindinsight_like.profiler.results")

_REPORT_SECONDS = 0.3
_READ, _ANALYSED = 0.7, 0.95  # shares of the work that are done then


@dataclass(frozen=True)
class Work:
    """What a process needs to know; it can be sent to another one."""

    job: str  # the folder
    base_dir: str
    places: int  # that compute at the same time on this machine; 0: somebody else sees to that


def work(given: Work) -> Status | str:
    """Analyses a recording into the folder of its job: how it went, or one sentence that says why it failed."""
    job = AnalysisFolder(Path(given.job))
    if given.places:
        turn = wait_for_turn(job.path.parent.parent, "place", given.places)
        try:
            return _attempt(job, given.base_dir)
        finally:
            os.close(turn)
    return _attempt(job, given.base_dir)


def _attempt(job: AnalysisFolder, base_dir: str) -> Status | str:
    try:
        return _analyse(job, base_dir)
    except Unreadable as error:
        return str(error)
    except MemoryError:
        return "this recording does not fit into the memory of the service's machine"
    except Exception as error:
        log.exception("cannot analyse %s", job.path)
        return f"the analysis failed: {type(error).__name__}: {' '.join(str(error).split())[:300]}"


def _analyse(job: AnalysisFolder, base_dir: str) -> Status:
    # Only now: who waits for a turn should not hold memory.
    from mindinsight_like.profiler.analysis.analysed import analyse
    from mindinsight_like.profiler.traces.sources import read

    begin = time.monotonic()
    trace = read(job.source(), Files(base_dir), _reporting(job, "reading", 0.0, _READ))
    analysed = analyse(trace, _reporting(job, "analysing", _READ, _ANALYSED))
    job.report(Status(RUNNING, _ANALYSED, "saving"))
    folder = job.new_result()
    analysed.save(folder)
    figures = _figures(analysed.summary(), analysed.trace.origin)
    seconds = round(time.monotonic() - begin, 3)
    return Status(READY, 1.0, seconds=seconds, result=folder.name, figures=figures)


def _figures(summary: dict[str, Any], origin: int) -> dict[str, Any]:
    """What lists show of a profile without opening it."""
    return {
        **{name: summary[name] for name in ("tool", "device", "host", "rank", "ranks")},
        "steps": summary["totals"]["steps"],
        "started_at": origin / 1e9 if origin else None,
    }


def _reporting(job: AnalysisFolder, stage: str, low: float, high: float) -> Progress:
    """Tells readers how far a stage is, now and then."""
    told = 0.0

    def report(share: float) -> None:
        nonlocal told
        now = time.monotonic()
        if now - told > _REPORT_SECONDS:
            told = now
            job.report(Status(RUNNING, low + (high - low) * min(max(share, 0.0), 1.0), stage))

    report(0.0)
    return report
