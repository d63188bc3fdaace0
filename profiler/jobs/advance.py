"""Analyses of profiles before anybody asks: small ones as soon as they are found, large ones one at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from mindinsight_like.errors import Busy
from mindinsight_like.jobs.folder import FAILED, READY
from mindinsight_like.profiler.jobs.analysis_jobs import Analyses
from mindinsight_like.profiler.jobs.profile_catalogue import IndexedProfile
from mindinsight_like.store.lru_eviction import used_bytes

_SMALL_BYTES: Final = 8 * 2**20  # analysed within seconds
_AT_ONCE: Final = 16  # small ones in one process
_QUIET_SECONDS: Final = 10.0  # without a change: a recording that is being written is not analysed again and again
_CACHE_SHARE: Final = 0.5  # of the space for analyses; the rest is for what people open


class AdvanceAnalyses:
    """Starts the next analyses whenever those before are done; for one process of an index at a time."""

    def __init__(self, analyses: Analyses, clock: Callable[[], float] = time.time) -> None:
        self._analyses = analyses
        self._clock = clock
        self._most_bytes = analyses.settings.profile_advance_mb * 2**20
        self._most_cached = analyses.settings.profile_cache_mb * 2**20 * _CACHE_SHARE
        self._current: Sequence[IndexedProfile] = ()
        # Those that have had their turn: what was evicted since is analysed again when somebody opens it.
        self._begun: set[tuple[str, str]] = set()

    def step(self) -> bool:
        """Start what comes next, unless something is under way; whether there is more to do."""
        if any(self._is_under_way(profile) for profile in self._current):
            return True
        self._current = ()
        pending = self._pending()
        ripe = [profile for profile in pending if self._clock() - profile.modified_at >= _QUIET_SECONDS]
        if not ripe:
            return bool(pending)
        if used_bytes(self._analyses.folder / "jobs") >= self._most_cached:
            return False
        small = [profile for profile in ripe if profile.bytes <= _SMALL_BYTES]
        batch = small[:_AT_ONCE] or ripe[:1]
        try:
            self._analyses.start(batch, in_advance=True)
        except Busy:
            return True
        self._begun |= {(profile.id, profile.content) for profile in batch}
        self._current = batch
        return True

    def _pending(self) -> list[IndexedProfile]:
        """Nobody has asked for them yet; the newest first."""
        profiles = self._analyses.catalogue.all().values()
        pending = [
            profile
            for profile in profiles
            if profile.bytes <= self._most_bytes
            and (profile.id, profile.content) not in self._begun
            and self._analyses.status(profile) is None
        ]
        return sorted(pending, key=lambda profile: -profile.modified_at)

    def _is_under_way(self, profile: IndexedProfile) -> bool:
        status = self._analyses.status(profile)
        return status is not None and status.state not in (READY, FAILED)
