"""The analyses of an index's profiles: started, watched, opened; the same for all web workers of a service."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import Busy, NotFound
from mindinsight_like.jobs.folder import FAILED, QUEUED, READY
from mindinsight_like.jobs.starting import claimed, entries, start_process
from mindinsight_like.profiler.results.analysing import Work
from mindinsight_like.profiler.results.batches import run_all
from mindinsight_like.profiler.results.environment import ENVIRONMENT
from mindinsight_like.profiler.results.job import AnalysisFolder, Status, order_for
from mindinsight_like.profiler.results.known import KnownProfile, KnownProfiles
from mindinsight_like.store.reading import IndexReader
from mindinsight_like.store.space import make_room

if TYPE_CHECKING:
    from mindinsight_like.profiler.analysis.analysed import Analysed

log = logging.getLogger(__name__)

_MOST_WAITING = 32  # processes that analyse or wait for their turn
_MOST_OPEN = 80  # all ranks of a large session; their columns stay on disk
_MOST_KEPT = 256 * 2**20  # bytes of what follows from columns, of all that are open
_TOUCH_SECONDS = 60.0
_PAUSE_SECONDS = 0.1
_NEW_SECONDS = 60.0


@dataclass(frozen=True)
class Opened:
    """A profile that can be asked."""

    profile: KnownProfile
    analysed: Analysed
    state: str  # another one when the answers may be others


class Analyses:
    """The analyses below the folder of an index."""

    def __init__(self, settings: Settings, reader: Callable[[], IndexReader]) -> None:
        self._settings = settings
        self._folder = reader().folder / "profiles"
        self._most_bytes = settings.profile_cache_mb * 2**20
        self._open: OrderedDict[Path, tuple[Analysed, float]] = OrderedDict()
        self._lock = threading.Lock()
        self.known = KnownProfiles(reader)
        self.base_dir = str(reader().base_dir)

    def find(self, id: str) -> KnownProfile:
        """Raises NotFound."""
        found = self.known.all().get(id)
        if found is None:
            raise NotFound("there is no such profile, or no longer")
        return found

    def status(self, profile: KnownProfile) -> Status | None:
        """How its analysis stands; None when nobody has asked for it."""
        return self._job(profile).status()

    def start(self, profiles: Sequence[KnownProfile]) -> None:
        """Analyse what is not analysed yet, and once more what failed, all in one process; raises Busy."""
        wanted = [profile for profile in profiles if _is_wanted(self.status(profile))]
        if not wanted:
            return
        self._make_room()
        if len(self._batches()) >= _MOST_WAITING:
            raise Busy("Too many profiles are being analysed; ask again when some are done.")
        batch = os.urandom(8).hex()
        jobs: list[AnalysisFolder] = []
        locks: list[int] = []
        try:
            for profile in wanted:
                if (lock := self._begun(profile, batch)) is not None:
                    jobs.append(self._job(profile))
                    locks.append(lock)
            if jobs:
                paths = [job.path for job in jobs]
                environment = ENVIRONMENT | self._settings.environment()
                module = "mindinsight_like.profiler.results"
                start_process(module, paths, locks, environment, log=paths[0] / "log")
        finally:
            for lock in locks:
                os.close(lock)  # the child has inherited it

    def open(self, profile: KnownProfile) -> Opened | Status:
        """The profile, or how its analysis stands; it is started unless it failed. Raises Busy."""
        status = self.status(profile)
        if status is None:
            self.start([profile])
            status = self.status(profile)
        if status is not None and status.state == READY:
            if (opened := self._opened(profile, status)) is not None:
                return opened
            if (status := self.status(profile)) is None:
                self.start([profile])
        return status or Status(QUEUED)

    def open_here(self, profile: KnownProfile) -> Opened | Status:
        """The profile, analysed by this process unless another one is at it, which is waited for."""
        is_tried = False
        while True:
            status = self.status(profile)
            if not is_tried and _is_wanted(status) and (lock := self._begun(profile, os.urandom(8).hex())) is not None:
                is_tried = True
                job = self._job(profile)
                run_all({Work(str(job.path), self.base_dir, 0): (job, lock)}, processes=1, scheduler="")
                self._make_room()
                status = self.status(profile)
            if status is not None and status.state == READY:
                if (opened := self._opened(profile, status)) is not None:
                    return opened
            elif status is not None and status.state == FAILED:
                return status
            time.sleep(_PAUSE_SECONDS)

    def _begun(self, profile: KnownProfile, batch: str) -> int | None:
        """The lock of its job, which waits for its turn now; None when another process was quicker."""
        job = self._job(profile)
        lock = claimed(job)
        if lock is None or ((status := job.status()) is not None and status.state == READY):
            if lock is not None:
                os.close(lock)  # it was finished between the two looks
            return None
        for other in entries(job.path.parent):
            if other.name.startswith(f"{profile.id}-") and other != job.path and not AnalysisFolder(other).is_held:
                shutil.rmtree(other, ignore_errors=True)  # of what the files were before
        job.begin(order_for(profile.source, batch))
        return lock

    def _job(self, profile: KnownProfile) -> AnalysisFolder:
        return AnalysisFolder(self._folder / "jobs" / f"{profile.id}-{profile.content}")

    def _batches(self) -> set[str]:
        jobs = [AnalysisFolder(path) for path in entries(self._folder / "jobs")]
        return {job.batch for job in jobs if job.is_held}

    def _make_room(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        make_room(self._folder / "jobs", self._most_bytes, may_go=lambda path: not AnalysisFolder(path).is_held)

    def _opened(self, profile: KnownProfile, status: Status) -> Opened | None:
        """What is kept of an analysis; None when it cannot be used, and is forgotten then."""
        from mindinsight_like.profiler.analysis.analysed import Analysed

        job = self._job(profile)
        folder = job.path / status.result
        with self._lock:
            analysed, touched = self._open.pop(folder, (None, 0.0))
            if analysed is None:
                try:
                    analysed = Analysed.open(folder)
                except (OSError, ValueError, TypeError, KeyError) as error:
                    # Removed to make room, cut by a power failure, or of another version.
                    log.warning("cannot open the analysis in %s: %r", folder, error)
                    _forget(job)
                    return None
            now = time.monotonic()
            if now - touched > _TOUCH_SECONDS or not touched:
                with contextlib.suppress(FileNotFoundError):
                    job.touch()
                touched = now
            self._open[folder] = analysed, touched
            let_go(self._open, _MOST_OPEN, _MOST_KEPT)
        return Opened(profile, analysed, f"{profile.content}-{status.result}")


def let_go(opened: OrderedDict[Path, tuple[Analysed, float]], most: int, most_bytes: int) -> None:
    """Drops those that were asked longest ago, so that no more are open and keep no more memory; the last one stays."""
    kept = sum(analysed.columns.kept_bytes for analysed, _ in opened.values())
    while len(opened) > 1 and (len(opened) > most or kept > most_bytes):
        _, (analysed, _) = opened.popitem(last=False)
        kept -= analysed.columns.kept_bytes


def _forget(job: AnalysisFolder) -> None:
    result = job.path / "result.json"
    with contextlib.suppress(FileNotFoundError):
        is_new = time.time() - result.stat().st_mtime < _NEW_SECONDS
        result.unlink()
        if is_new:  # the next one would be no better
            job.fail("what the analysis has written cannot be read; the log of the service has the details")
        else:
            shutil.rmtree(job.path, ignore_errors=True)


def _is_wanted(status: Status | None) -> bool:
    return status is None or status.state == FAILED
