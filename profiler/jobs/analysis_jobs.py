"""Analysis jobs of the profiles of an index: start, status, LRU cache of opened results; safe across web workers."""

from __future__ import annotations

import contextlib
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
from mindinsight_like.profiler.jobs.analysis_folder import DIGESTS, AnalysisFolder, Status, order_for
from mindinsight_like.profiler.jobs.analysis_work import Work
from mindinsight_like.profiler.jobs.batches import run_all
from mindinsight_like.profiler.jobs.environment import ENVIRONMENT
from mindinsight_like.profiler.jobs.profile_catalogue import IndexedProfile, ProfileCatalogue
from mindinsight_like.store.lru_eviction import evict
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.segments.sealing import BrokenSeal, number_for

if TYPE_CHECKING:
    from mindinsight_like.profiler.analysis.analysed import Analysed

_MOST_WAITING = 32  # processes that analyse or wait for their turn
_MOST_OPEN = 80  # all ranks of a large session; their columns stay on disk
_MOST_CACHED_BYTES = 256 * 2**20  # bytes of what follows from columns, of all that are open
_TOUCH_SECONDS = 60.0
_PAUSE_SECONDS = 0.1
_MOST_DIGESTS = 256 * 2**20  # bytes


@dataclass(frozen=True)
class Opened:
    """A profile that can be asked."""

    profile: IndexedProfile
    analysed: Analysed
    result: str  # name of the folder with its columns

    @property
    def state(self) -> str:
        """Another one when the answers may be others."""
        return f"{self.profile.content}-{self.result}"


class Analyses:
    """The analyses below the folder of an index."""

    def __init__(self, settings: Settings, reader: Callable[[], IndexReader]) -> None:
        self.settings = settings
        self.folder = reader().folder / "profiles"
        self._most_bytes = settings.profile_cache_mb * 2**20
        self._open: OrderedDict[Path, tuple[Analysed, float]] = OrderedDict()
        self._lock = threading.Lock()
        self.catalogue = ProfileCatalogue(reader)
        self.base_dir = reader().location.dirs.to_text()

    def find(self, id: str) -> IndexedProfile:
        """Raises NotFound."""
        profile = self.catalogue.all().get(id)
        if profile is None:
            raise NotFound("profile not found")
        return profile

    def status(self, profile: IndexedProfile) -> Status | None:
        """How its analysis stands; None when nobody has asked for it."""
        return self.job(profile).status()

    def start(self, profiles: Sequence[IndexedProfile], *, in_advance: bool = False) -> None:
        """Analyse what is not analysed yet, and once more what failed, all in one process; raises Busy.

        `in_advance`: one after the other, at the lowest priority.
        """
        pending = [profile for profile in profiles if _needs_analysis(self.status(profile))]
        if not pending:
            return
        self.evict()
        if len(self._batches()) >= _MOST_WAITING:
            raise Busy("Too many profiles are being analysed; try again later.")
        batch = os.urandom(8).hex()
        jobs: list[AnalysisFolder] = []
        locks: list[int] = []
        try:
            for profile in pending:
                if (lock := self._begun(profile, batch)) is not None:
                    jobs.append(self.job(profile))
                    locks.append(lock)
            if jobs:
                paths = [job.path for job in jobs]
                environment = ENVIRONMENT | self.settings.environment()
                module = "mindinsight_like.profiler.jobs" + (".low_priority" if in_advance else "")
                start_process(module, paths, locks, environment, log=paths[0] / "log")
        finally:
            for lock in locks:
                os.close(lock)  # the child has inherited it

    def open(self, profile: IndexedProfile) -> Opened | Status:
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

    def open_here(self, profile: IndexedProfile) -> Opened | Status:
        """The profile, analysed by this process unless another one is at it, which is waited for."""
        is_tried = False
        while True:
            status = self.status(profile)
            needs_analysis = status is None or (not is_tried and status.state == FAILED)
            if needs_analysis and (lock := self._begun(profile, os.urandom(8).hex())) is not None:
                is_tried = True
                job = self.job(profile)
                run_all({Work(str(job.path), self.base_dir, 0): (job, lock)}, processes=1, scheduler="")
                self.evict()
                status = self.status(profile)
            if status is not None and status.state == READY:
                if (opened := self._opened(profile, status)) is not None:
                    return opened
            elif status is not None and status.state == FAILED:
                return status
            time.sleep(_PAUSE_SECONDS)

    def _begun(self, profile: IndexedProfile, batch: str) -> int | None:
        """The lock of its job, which waits for its turn now; None when another process was quicker."""
        job = self.job(profile)
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

    def job(self, profile: IndexedProfile) -> AnalysisFolder:
        """Where the analysis of a profile is."""
        return AnalysisFolder(self.folder / "jobs" / f"{profile.id}-{profile.content}")

    def _batches(self) -> set[str]:
        jobs = [AnalysisFolder(path) for path in entries(self.folder / "jobs")]
        return {job.batch for job in jobs if job.is_held}

    def evict(self) -> None:
        """Remove the least recently used analyses and digests until the rest fits."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        evict(self.folder / DIGESTS, _MOST_DIGESTS, may_go=lambda path: True)
        evict(self.folder / "jobs", self._most_bytes, may_go=lambda path: not AnalysisFolder(path).is_held)

    def _opened(self, profile: IndexedProfile, status: Status) -> Opened | None:
        """What is kept of an analysis; None when it cannot be used, and is forgotten then."""
        from mindinsight_like.profiler.analysis.analysed import Analysed

        job = self.job(profile)
        folder = job.path / status.result
        with self._lock:
            analysed, touched = self._open.pop(folder, (None, 0.0))
            if analysed is None or not analysed.is_current:
                try:
                    analysed = Analysed.open(folder)
                except (OSError, ValueError, TypeError, KeyError) as error:
                    # Removed to make room, damaged, or of another version.
                    job.discard(error)
                    return None
            now = time.monotonic()
            if now - touched > _TOUCH_SECONDS or not touched:
                with contextlib.suppress(FileNotFoundError):
                    job.touch()
                touched = now
            self._open[folder] = analysed, touched
            evict_opened(self._open, _MOST_OPEN, _MOST_CACHED_BYTES)
        return Opened(profile, analysed, status.result)

    def discard(self, opened: Sequence[Opened], error: BrokenSeal) -> None:
        """Drop the one of the analyses that turned out to be damaged, so that it is made again."""
        for each in opened:
            job = self.job(each.profile)
            if number_for(each.result) != error.number:
                continue
            with self._lock:
                self._open.pop(job.path / each.result, None)
            if (status := job.status()) is not None and status.result == each.result:
                job.discard(error)


def evict_opened(opened: OrderedDict[Path, tuple[Analysed, float]], most: int, most_bytes: int) -> None:
    """Drop the least recently used until count and cached bytes fit their limits; the last one always stays."""
    cached_bytes = sum(analysed.columns.cached_bytes for analysed, _ in opened.values())
    while len(opened) > 1 and (len(opened) > most or cached_bytes > most_bytes):
        _, (analysed, _) = opened.popitem(last=False)
        cached_bytes -= analysed.columns.cached_bytes


def _needs_analysis(status: Status | None) -> bool:
    return status is None or status.state == FAILED
