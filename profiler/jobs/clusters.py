"""Comparison jobs of the ranks of a session; results stay valid until one of the recordings changes.

`python -m mindinsight_like.profiler.jobs.clusters JOB LOCK` compares many ranks in a process of its own; few are
compared by whoever asks. Either way one rank after the other is read, and only its digest stays in memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import orjson

from mindinsight_like.jobs.folder import FAILED, QUEUED, READY, RUNNING
from mindinsight_like.jobs.starting import claimed, entries, start_process
from mindinsight_like.jobs.working import wait_for_turn
from mindinsight_like.profiler.jobs.analysis_folder import DIGESTS, AnalysisFolder, Status
from mindinsight_like.profiler.jobs.analysis_jobs import Analyses
from mindinsight_like.profiler.jobs.environment import ENVIRONMENT
from mindinsight_like.profiler.jobs.profile_catalogue import IndexedProfile
from mindinsight_like.store.segments.sealing import BrokenSeal, number_for, sealed, unsealed

if TYPE_CHECKING:
    from mindinsight_like.profiler.analysis.ranks.cluster import ClusterView
    from mindinsight_like.profiler.jobs.cluster_report import ClusterReport

log = logging.getLogger("mindinsight_like.profiler.jobs")

COMPARING: Final = "comparing"  # the stage; the page has words for it
_FEW_RANKS: Final = 32
_ANALYSED: Final = 0.9  # share of the work that is done when all ranks are analysed
_REPORT_SECONDS: Final = 0.3
_RETRY_SECONDS: Final = 10.0
_COMMON: Final = "common.json"
_MEASURE_MARK: Final = "$measure"
_TIMES_MARK: Final = "$times"


class RankLost(Exception):
    """What was analysed of a rank has made room for others, or is damaged."""


@dataclass(frozen=True)
class Compared:
    """Ranks that are compared."""

    job: AnalysisFolder
    result: str  # name of the folder of files

    @property
    def state(self) -> str:
        """Another one when the answers may be others."""
        return f"{self.job.path.name}-{self.result}"

    def answer(self, measure: str) -> bytes:
        """The whole answer as JSON; raises OSError where it made room for others just now, BrokenSeal for damage."""
        common = self._unsealed(_COMMON).replace(orjson.dumps(_MEASURE_MARK), orjson.dumps(measure), 1)
        head, tail = common.split(orjson.dumps(_TIMES_MARK), 1)
        return head + self._unsealed(_times(measure)) + tail

    def _unsealed(self, name: str) -> bytes:
        return unsealed((self.job.path / self.result / name).read_bytes(), number_for(self.result + name))


class Clusters:
    """The kept comparisons beside the analyses of an index."""

    def __init__(self, analyses: Analyses) -> None:
        self._analyses = analyses

    def compare(self, session: str, profiles: Sequence[IndexedProfile]) -> Compared | Status:
        """The comparison, or how far it is: asking starts what is missing. Raises Busy.

        Ranks that cannot be read are left out and named in the answer.
        """
        analyses = self._analyses
        digests = {path.name for path in entries(analyses.folder / DIGESTS)}
        unknown = [each for each in profiles if analyses.job(each).path.name not in digests]
        statuses = {each.id: analyses.status(each) for each in unknown}
        if new := [each for each in unknown if statuses[each.id] is None]:
            analyses.start(new)
            statuses |= {each.id: analyses.status(each) or Status(QUEUED) for each in new}
        failed = {id: status.message for id, status in statuses.items() if status and status.state == FAILED}
        usable = [each for each in profiles if each.id not in failed]
        if len(usable) < 2:
            return Status(FAILED, message=next(iter(failed.values())))
        waiting = [status for status in statuses.values() if status and status.state not in (READY, FAILED)]
        if waiting:
            done = len(usable) - len(waiting) + sum(status.progress for status in waiting)
            slowest = min(waiting, key=lambda status: status.progress)
            return Status(slowest.state, _ANALYSED * done / len(usable), slowest.stage)
        return self._compared(session, usable, {each.id: failed[each.id] for each in profiles if each.id in failed})

    def _compared(self, session: str, profiles: Sequence[IndexedProfile], failed: dict[str, str]) -> Compared | Status:
        job = self._job(session, profiles, failed)
        status = job.status()
        if (status is None or _is_old_failure(job, status)) and (lock := claimed(job)) is not None:
            try:
                if (status := job.status()) is None or status.state != READY:
                    self._start(job, lock, session, profiles, failed)
                    status = job.status()
            finally:
                os.close(lock)
        status = status or Status(QUEUED)
        if status.state == READY:
            with contextlib.suppress(FileNotFoundError):
                job.touch()
            return Compared(job, status.result)
        if status.state == FAILED:
            return status
        return Status(status.state, _ANALYSED + (1 - _ANALYSED) * status.progress, status.stage or COMPARING)

    def _start(
        self, job: AnalysisFolder, lock: int, session: str, profiles: Sequence[IndexedProfile], failed: dict[str, str]
    ) -> None:
        by_id = self._analyses.catalogue.all()
        ranks = [{**_rank_entry(each), "job": str(self._analyses.job(each).path)} for each in profiles]
        missing = [{**_rank_entry(by_id[id]), "message": message} for id, message in failed.items() if id in by_id]
        for other in entries(job.path.parent):
            if other.name.startswith(f"{_stem(session)}-") and other != job.path and not AnalysisFolder(other).is_held:
                shutil.rmtree(other, ignore_errors=True)  # of what the recordings were before
        job.begin({"session": session, "ranks": ranks, "missing": missing, "batch": os.urandom(8).hex()})
        if len(profiles) <= _FEW_RANKS:
            _settle(job)
            return
        environment = ENVIRONMENT | self._analyses.settings.environment()
        start_process(__name__, [job.path], [lock], environment, log=job.path / "log")

    def _job(self, session: str, profiles: Sequence[IndexedProfile], failed: dict[str, str]) -> AnalysisFolder:
        content = repr(([(each.id, each.content, each.run_name) for each in profiles], failed))
        name = f"{_stem(session)}-{hashlib.sha256(content.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"
        return AnalysisFolder(self._analyses.folder / "jobs" / name)


def _is_old_failure(job: AnalysisFolder, status: Status) -> bool:
    """Whether it may be tried again: who waits asks every moment, and should be told before that."""
    try:
        return status.state == FAILED and time.time() - (job.path / "failed.json").stat().st_mtime > _RETRY_SECONDS
    except FileNotFoundError:
        return status.state == FAILED  # its process was killed


def _stem(session: str) -> str:
    return "cluster" + hashlib.sha256(session.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _rank_entry(profile: IndexedProfile) -> dict[str, str | int | None]:
    return {"profile": profile.id, "run": profile.run, "run_name": profile.run_name, "rank": profile.rank}


def _settle(job: AnalysisFolder) -> None:
    """Compares the ranks of a job, whose lock the caller holds."""
    begin = time.monotonic()
    try:
        job.finish(_compare(job, begin))
    except MemoryError:
        job.fail("the ranks do not fit into the memory of the service's machine")
    except RankLost:
        job.cancel()  # who asks next has the rank analysed anew
    except Exception as error:
        log.exception("cannot compare the ranks of %s", job.path)
        job.fail(f"comparing the ranks failed: {type(error).__name__}: {' '.join(str(error).split())[:300]}")


def _compare(job: AnalysisFolder, begin: float) -> Status:
    import numpy as np

    from mindinsight_like.profiler.analysis.ranks.cluster import MEASURES, ClusterView

    order = job.order()
    report = _reporting(job)
    digests = []
    for at, rank in enumerate(order["ranks"]):
        digests.append(_digest(AnalysisFolder(Path(rank["job"]))))
        report((at + 1) / (2 * len(order["ranks"])))
    view = ClusterView(digests, [rank["rank"] for rank in order["ranks"]])
    report(0.7)
    folder = job.new_result()
    for at, measure in enumerate(MEASURES):
        _write(folder, _times(measure), np.ascontiguousarray(view.times(measure), np.float64))  # NaN becomes null
        report(0.7 + 0.3 * (at + 1) / len(MEASURES))
    _write(folder, _COMMON, _report(view, order))
    return Status(READY, 1.0, seconds=round(time.monotonic() - begin, 3), result=folder.name)


def _report(view: ClusterView, order: dict[str, Any]) -> ClusterReport:
    """What is the same for all measures; marks stand for a measure and its times, which have files of their own."""
    from mindinsight_like.profiler.jobs.cluster_report import ClusterReport

    comparison = view.comparison
    # The marks come first: names of sessions and operators may look like them.
    return ClusterReport(
        measure=_MEASURE_MARK,
        steps={**view.steps, "times": cast(list[list[float | None]], _TIMES_MARK)},
        session=order["session"],
        ranks=[
            {**figures, "profile": entry["profile"], "run": entry["run"], "run_name": entry["run_name"]}
            for entry, figures in zip(order["ranks"], comparison.ranks, strict=True)
        ],
        interval=comparison.interval,
        stages=comparison.stages,
        method=comparison.method,
        collectives=comparison.collectives,
        stragglers=comparison.stragglers,
        advice=comparison.advice,
        links=comparison.links,
        missing=order["missing"],
    )


def _times(measure: str) -> str:
    """The name of the file with the times of all ranks and steps."""
    return f"times-{measure}.json"


def _write(folder: Path, name: str, content: object) -> None:
    text = orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    (folder / name).write_bytes(sealed(text, number_for(folder.name + name)))


def _digest(job: AnalysisFolder) -> Any:
    """Of one rank; made of its columns where the file has gone."""
    from mindinsight_like.profiler.analysis.columns.storage import load, load_digest, save_digest
    from mindinsight_like.profiler.analysis.ranks.rank_digest import digest

    try:
        return load_digest(job.digest)
    except (OSError, ValueError, KeyError, TypeError):
        job.digest.unlink(missing_ok=True)
    status = job.status()
    if status is None or status.state != READY:
        raise RankLost
    try:
        columns, _ = load(job.path / status.result)
        result = digest(columns)
    except (OSError, ValueError, KeyError, TypeError, BrokenSeal) as error:
        job.discard(error)
        raise RankLost from error
    save_digest(result, job.digest)
    return result


def _reporting(job: AnalysisFolder) -> Callable[[float], None]:
    reported_at = 0.0

    def report(share: float) -> None:
        nonlocal reported_at
        if (now := time.monotonic()) - reported_at > _REPORT_SECONDS:
            reported_at = now
            job.report(Status(RUNNING, share, COMPARING))

    report(0.0)
    return report


def main() -> None:
    # The lock came along as an open file and is let go when this process ends, however that happens.
    os.nice(5)
    job = AnalysisFolder(Path(sys.argv[1]))
    turn = wait_for_turn(job.path.parent.parent, "comparing", 1)
    try:
        _settle(job)
    finally:
        os.close(turn)


if __name__ == "__main__":
    main()
