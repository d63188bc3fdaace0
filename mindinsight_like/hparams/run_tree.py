"""Tree of runs by folder: look up a run, its ancestors and its descendants."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from mindinsight_like.store.result_types import Run


class RunTree:
    """The runs of a base dir; `.` is the folder above all others."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._by_name = {run.name: run for run in runs}
        self._names = sorted(self._by_name)

    def at(self, name: str) -> Run | None:
        return self._by_name.get(name)

    def above(self, name: str) -> Iterator[Run]:
        """The runs in whose folders a name lies, the nearest first."""
        while name != ".":
            name = name.rpartition("/")[0] or "."
            if name in self._by_name:
                yield self._by_name[name]

    def below(self, name: str) -> Iterator[tuple[str, Run]]:
        """The runs in the folder of that name, by their path from there."""
        prefix = "" if name == "." else f"{name}/"
        for place in range(bisect_left(self._names, prefix), len(self._names)):
            candidate = self._names[place]
            if not candidate.startswith(prefix):
                return
            if candidate != ".":
                yield candidate[len(prefix) :], self._by_name[candidate]
