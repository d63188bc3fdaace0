"""Read and analyse one recording, in this process, a process pool or on a Dask worker."""

from __future__ import annotations

import logging
import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mindinsight_like.jobs.folder import READY, RUNNING
from mindinsight_like.jobs.working import wait_for_turn
from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.profiler.jobs.analysis_folder import AnalysisFolder, ProfileFigures, Status
from mindinsight_like.profiler.traces.files import Files, Progress, Unreadable

if TYPE_CHECKING:
    from mindinsight_like.profiler.analysis.summary import Summary

log = logging.getLogger("mindinsight_like.profiler.jobs")

_REPORT_SECONDS = 0.3
_MOST_LOSSES = 20  # that lists show; the summary of the profile has all
_READ, _ANALYSED = 0.7, 0.95  # shares of the work that are done then


@dataclass(frozen=True)
class Work:
    """What a process needs to know; it can be sent to another one."""

    job: str  # the folder
    base_dir: str  # the text of BaseDirs
    places: int  # that compute at the same time on this machine; 0: somebody else sees to that


def work(task: Work) -> Status | str:
    """Analyses a recording into the folder of its job: how it went, or one sentence that says why it failed."""
    job = AnalysisFolder(Path(task.job))
    tops = [path for path, _ in BaseDirs.from_text(task.base_dir).roots()]
    if unseen := [folder for folder in (task.job, *tops) if not Path(folder).is_dir()]:
        return not_shared(unseen[0], task)
    if task.places:
        turn = wait_for_turn(job.path.parent.parent, "place", task.places)
        try:
            return _attempt(job, task.base_dir)
        finally:
            os.close(turn)
    return _attempt(job, task.base_dir)


def not_shared(unseen: str, task: Work) -> str:
    """What to do where a worker on another machine does not see a folder."""
    workspace = str(Path(task.job).parent.parent)
    return (
        f"the worker on {socket.gethostname()} does not see {unseen}: share the base dir ({task.base_dir}) and the "
        f"workspace ({workspace}) with all Dask workers, under the same paths"
    )


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
    from mindinsight_like.profiler.analysis.columns.storage import save_digest
    from mindinsight_like.profiler.analysis.ranks.rank_digest import digest
    from mindinsight_like.profiler.traces.sources import read

    begin = time.monotonic()
    trace = read(job.source(), Files(base_dir), _reporting(job, "reading", 0.0, _READ))
    analysed = analyse(trace, _reporting(job, "analysing", _READ, _ANALYSED))
    job.report(Status(RUNNING, _ANALYSED, "saving"))
    folder = job.new_result()
    analysed.save(folder)
    save_digest(digest(analysed.columns), job.digest)
    figures = _figures(analysed.summary())
    seconds = round(time.monotonic() - begin, 3)
    return Status(READY, 1.0, seconds=seconds, result=folder.name, figures=figures)


def _figures(summary: Summary) -> ProfileFigures:
    return {
        "tool": summary.tool,
        "device": summary.device,
        "host": summary.host,
        "rank": summary.rank,
        "ranks": summary.ranks,
        "steps": summary.totals.steps,
        "started_at": summary.origin_ns / 1e9 if summary.origin_ns else None,
        "average_step": summary.step.get("duration"),
        "breakdown": dict(summary.breakdown),
        "advice": dict(summary.advice[0]) if summary.advice else None,
        "losses": [dict(loss) for loss in summary.losses[:_MOST_LOSSES]],
        "loss_count": len(summary.losses),
    }


def _reporting(job: AnalysisFolder, stage: str, low: float, high: float) -> Progress:
    """Tells readers how far a stage is, now and then."""
    reported_at = 0.0

    def report(share: float) -> None:
        nonlocal reported_at
        now = time.monotonic()
        if now - reported_at > _REPORT_SECONDS:
            reported_at = now
            job.report(Status(RUNNING, low + (high - low) * min(max(share, 0.0), 1.0), stage))

    report(0.0)
    return report
