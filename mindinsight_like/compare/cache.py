"""The comparison cache: an LRU cache of whole decoded curves, bounded by bytes.

The runs that were updated last are the ones people compare: they stay as long as there is room, other runs go first,
those that nobody has asked for the longest before others. A run that has changed since is read again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import Curve

POINT_BYTES = 24  # step, wall time, value
_RUNS_AT_ONCE = 200  # read together


@dataclass
class _CacheEntry:
    """Cached curves of one run."""

    version: int
    curves: dict[str, list[Curve]] = field(default_factory=dict)  # by tag; several where several writers logged

    @property
    def bytes(self) -> int:
        return sum(_size(curve) for curves in self.curves.values() for curve in curves)


@dataclass(frozen=True)
class CacheState:
    bytes: int
    limit: int
    warm_runs: int
    hits: int
    misses: int
    runs: list[tuple[str, int, int]]  # id, tags, bytes


class CurveCache:
    """Gives whole curves; any number of threads may ask."""

    def __init__(self, reader: IndexReader, limit_bytes: int, warm_runs: int) -> None:
        self._reader = reader
        self._warm_runs = warm_runs
        self._limit = limit_bytes
        self._entries: OrderedDict[str, _CacheEntry] = OrderedDict()  # the run asked for last is last
        self._bytes = 0
        self._hits = self._misses = 0
        self._lock = threading.Lock()

    def curves(
        self, runs: Sequence[str], tags: Sequence[str], *, counts: bool = True
    ) -> dict[tuple[str, str], list[Curve]]:
        """The curves of runs and tags, those that there are; raises RunNotFound. `counts`: as hits and misses."""
        versions = dict(zip(runs, self._reader.runs.versions(runs), strict=True))
        result: dict[tuple[str, str], list[Curve]] = {}
        missing: dict[tuple[str, ...], list[str]] = {}  # runs by the tags they lack
        with self._lock:
            for run in runs:
                entry = self._entries.get(run)
                if entry is not None and entry.version != versions[run]:
                    self._drop(run)
                    entry = None
                missing_tags = tuple(tag for tag in tags if entry is None or tag not in entry.curves)
                if entry is not None:
                    self._entries.move_to_end(run)
                    result |= {(run, tag): entry.curves[tag] for tag in tags if tag not in missing_tags}
                if missing_tags:
                    missing.setdefault(missing_tags, []).append(run)
                self._misses += counts and bool(missing_tags)
                self._hits += counts and not missing_tags
        for missing_tags, lacking_runs in missing.items():
            for begin in range(0, len(lacking_runs), _RUNS_AT_ONCE):
                result |= self._read(lacking_runs[begin : begin + _RUNS_AT_ONCE], missing_tags, versions)
        return {key: curves for key, curves in result.items() if curves}

    def every_point(self, runs: Sequence[str], tags: Sequence[str]) -> dict[tuple[str, str], list[Curve]]:
        """The curves with their superseded points, too; they are not kept."""
        result: dict[tuple[str, str], list[Curve]] = {}
        for begin in range(0, len(runs), _RUNS_AT_ONCE):
            for curve in self._reader.scalars(runs[begin : begin + _RUNS_AT_ONCE], tags, max_points=None, resume="all"):
                result.setdefault((curve.run, curve.tag), []).append(curve)
        return result

    def _read(
        self, runs: Sequence[str], tags: Sequence[str], versions: Mapping[str, int]
    ) -> dict[tuple[str, str], list[Curve]]:
        result: dict[tuple[str, str], list[Curve]] = {(run, tag): [] for run in runs for tag in tags}
        for curve in self._reader.scalars(runs, tags, max_points=None):
            result[curve.run, curve.tag].append(curve)
        with self._lock:
            for run in runs:
                entry = self._entries.get(run)
                if entry is None or entry.version != versions[run]:
                    self._drop(run)
                    entry = self._entries[run] = _CacheEntry(versions[run])
                for tag in tags:
                    self._bytes += sum(map(_size, result[run, tag])) - sum(map(_size, entry.curves.get(tag, ())))
                    entry.curves[tag] = result[run, tag]
                self._entries.move_to_end(run)
            self._evict(self._warm())
        return result

    def _evict(self, warm: Iterable[str]) -> None:
        """Evict until the limit is met: runs that are not warm first, the one asked for the longest ago first."""
        if self._bytes <= self._limit:
            return
        pinned = set(warm)
        for run in [
            *(run for run in self._entries if run not in pinned),
            *(run for run in self._entries if run in pinned),
        ]:
            if self._bytes <= self._limit:
                return
            self._drop(run)

    def _drop(self, run: str) -> None:
        if (entry := self._entries.pop(run, None)) is not None:
            self._bytes -= entry.bytes

    def _warm(self) -> list[str]:
        return self._reader.runs.newest(self._warm_runs)

    def warm_up(self, tags: Sequence[str]) -> None:
        """Read some tags of the runs that were updated last, before anybody asks."""
        self.curves(self._warm(), tags, counts=False)

    def state(self) -> CacheState:
        with self._lock:
            runs = [(run, len(entry.curves), entry.bytes) for run, entry in reversed(self._entries.items())]
            return CacheState(self._bytes, self._limit, self._warm_runs, self._hits, self._misses, runs)


def _size(curve: Curve) -> int:
    return int(curve.steps.nbytes + curve.wall_times.nbytes + curve.values.nbytes)
