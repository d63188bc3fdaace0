"""The comparison cache: whole curves of runs, decoded and ready, bounded by bytes.

The runs that were updated last are the ones people compare: they stay as long as there is room, other runs go first,
those that nobody has asked for the longest before others. A run that has changed since is read again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mindinsight_like.store.answers import Curve
from mindinsight_like.store.reading import IndexReader

POINT_BYTES = 24  # step, wall time, value
_RUNS_AT_ONCE = 200  # read together


@dataclass
class _Held:
    """What is kept of one run."""

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
        self._held: OrderedDict[str, _Held] = OrderedDict()  # the run asked for last is last
        self._bytes = 0
        self._hits = self._misses = 0
        self._lock = threading.Lock()

    def curves(
        self, runs: Sequence[str], tags: Sequence[str], *, counts: bool = True
    ) -> dict[tuple[str, str], list[Curve]]:
        """The curves of runs and tags, those that there are; raises RunNotFound. `counts`: as hits and misses."""
        versions = dict(zip(runs, self._reader.versions(runs), strict=True))
        found: dict[tuple[str, str], list[Curve]] = {}
        missing: dict[tuple[str, ...], list[str]] = {}  # runs by the tags they lack
        with self._lock:
            for run in runs:
                held = self._held.get(run)
                if held is not None and held.version != versions[run]:
                    self._drop(run)
                    held = None
                lacking = tuple(tag for tag in tags if held is None or tag not in held.curves)
                if held is not None:
                    self._held.move_to_end(run)
                    found |= {(run, tag): held.curves[tag] for tag in tags if tag not in lacking}
                if lacking:
                    missing.setdefault(lacking, []).append(run)
                self._misses += counts and bool(lacking)
                self._hits += counts and not lacking
        for lacking, without in missing.items():
            for begin in range(0, len(without), _RUNS_AT_ONCE):
                found |= self._read(without[begin : begin + _RUNS_AT_ONCE], lacking, versions)
        return {key: curves for key, curves in found.items() if curves}

    def _read(
        self, runs: Sequence[str], tags: Sequence[str], versions: Mapping[str, int]
    ) -> dict[tuple[str, str], list[Curve]]:
        found: dict[tuple[str, str], list[Curve]] = {(run, tag): [] for run in runs for tag in tags}
        for curve in self._reader.scalars(runs, tags, max_points=None):
            found[curve.run, curve.tag].append(curve)
        with self._lock:
            for run in runs:
                held = self._held.get(run)
                if held is None or held.version != versions[run]:
                    self._drop(run)
                    held = self._held[run] = _Held(versions[run])
                for tag in tags:
                    self._bytes += sum(map(_size, found[run, tag])) - sum(map(_size, held.curves.get(tag, ())))
                    held.curves[tag] = found[run, tag]
                self._held.move_to_end(run)
            self._make_room(self._warm())
        return found

    def _make_room(self, warm: Iterable[str]) -> None:
        """Let go of what is over the limit: runs that are not warm first, the one asked for the longest ago first."""
        if self._bytes <= self._limit:
            return
        staying = set(warm)
        for run in [*(run for run in self._held if run not in staying), *(run for run in self._held if run in staying)]:
            if self._bytes <= self._limit:
                return
            self._drop(run)

    def _drop(self, run: str) -> None:
        if (held := self._held.pop(run, None)) is not None:
            self._bytes -= held.bytes

    def _warm(self) -> list[str]:
        return self._reader.newest_runs(self._warm_runs)

    def warm_up(self, tags: Sequence[str]) -> None:
        """Read some tags of the runs that were updated last, before anybody asks."""
        self.curves(self._warm(), tags, counts=False)

    def state(self) -> CacheState:
        with self._lock:
            runs = [(run, len(held.curves), held.bytes) for run, held in reversed(self._held.items())]
            return CacheState(self._bytes, self._limit, self._warm_runs, self._hits, self._misses, runs)


def _size(curve: Curve) -> int:
    return int(curve.steps.nbytes + curve.wall_times.nbytes + curve.values.nbytes)
