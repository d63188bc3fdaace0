"""Which scalar tags there are and how many runs have each, without reading any curve."""

from __future__ import annotations

import contextlib
import json
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import Rebuilding
from mindinsight_like.lineage.table.run_table import RunTable
from mindinsight_like.store.intact import Intact, read_part
from mindinsight_like.store.reader import IndexReader

from .scalar_store import same_rows

_NOTHING: Mapping[str, int] = {}


class ScalarTags:
    """Number of runs by scalar tag, one per process; runs that log alike are counted together."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._ids: list[str] = []
        self._revisions: NDArray[np.int64] = np.zeros(0, np.int64)
        self._sets: dict[str, tuple[str, ...]] = {}  # of a run: the tags of each of its files, as JSON
        self._shared: dict[tuple[str, ...], tuple[str, ...]] = {}  # equal sets are one object
        self._rebuilding: frozenset[str] = frozenset()
        self._counts: Mapping[str, int] = _NOTHING

    def counts(self, runs: RunTable) -> Mapping[str, int]:
        """Number of runs by tag, most first; the same object as long as nothing has changed."""
        with self._lock:
            if self._ids is not runs.ids or self._revisions is not runs.revisions or self._rebuilding:
                self._refresh(runs)
            return self._counts

    def _refresh(self, runs: RunTable) -> None:
        same = same_rows(runs, self._ids, self._revisions, without=self._rebuilding) >= 0
        changed = [runs.ids[place] for place in np.flatnonzero(~same).tolist()]
        read = self._read(changed, is_first=not self._sets)
        is_new = False
        for run in changed:
            tags = tuple(read.answer.get(run, ()))
            tags = self._shared.setdefault(tags, tags)
            if self._sets.get(run) is not tags:
                self._sets[run] = tags
                is_new = True
        if self._ids is not runs.ids:
            gone = self._sets.keys() - set(runs.ids)
            for run in gone:
                del self._sets[run]
            is_new |= bool(gone)
        self._ids, self._revisions, self._rebuilding = runs.ids, runs.revisions, frozenset(read.rebuilding)
        if is_new:
            self._counts = self._count()

    def _read(self, changed: list[str], *, is_first: bool) -> Intact[dict[str, list[str]]]:
        if is_first:
            with contextlib.suppress(Rebuilding):
                return Intact(self._reader.scalar_ends.all_tag_sets(), [])
        return read_part(self._reader, changed, self._reader.scalar_ends.tag_sets, empty={})

    def counts_by_row(self, rows: Iterable[Sequence[str]]) -> Mapping[str, int]:
        """Number of rows by tag, most first; a row has the tags of all its runs."""
        with self._lock:
            return _counts(Counter(tuple(chain.from_iterable(self._sets.get(run, ()) for run in row)) for row in rows))

    def _count(self) -> Mapping[str, int]:
        by_set = Counter(self._sets.values())
        self._shared = {tags: tags for tags in by_set}
        return _counts(by_set)


def _counts(by_set: Mapping[tuple[str, ...], int]) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    for texts, runs in by_set.items():
        tags: set[Any] = set()
        for text in texts:
            tags.update(json.loads(text))
        counts.update(dict.fromkeys(tags, runs))
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
