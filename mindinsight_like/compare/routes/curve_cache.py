"""The comparison cache of this web process."""

from __future__ import annotations

from mindinsight_like.compare.cache import CurveCache
from mindinsight_like.http.app_state import AppState, Shared
from mindinsight_like.store.reader import IndexReader


def _make_cache(state: AppState, reader: IndexReader) -> CurveCache:
    return CurveCache(reader, state.settings.compare_cache_mb * 2**20, state.settings.compare_cache_runs)


_CACHE = Shared(_make_cache)


def current_cache() -> CurveCache:
    """The cache of this process."""
    return _CACHE.current()
