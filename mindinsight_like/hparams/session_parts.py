"""Cache of decoded session records per run, since thousands of runs are requested again whenever one of them grows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from mindinsight_like.items.series import HPARAMS, ItemSeries, read_items
from mindinsight_like.store.intact import Intact, read_part
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import Run
from mindinsight_like.values.hparams import Part

_CACHE_SIZE = 5000  # runs; some kilobytes each


@dataclass
class RunParts:
    """The parts that the records of one run hold, each with the time it was written at."""

    parts: list[tuple[Part, float]] = field(default_factory=list)
    error: str | None = None  # why a record could not be read


# Together these tell one state of a run from all others, also in an index that was made anew.
_State = tuple[str, int, int, float]


def _state(run: Run) -> _State:
    return run.id, run.version, run.bytes, run.updated_at


_cache: WeakKeyDictionary[IndexReader, OrderedDict[_State, RunParts]] = WeakKeyDictionary()
_lock = threading.Lock()


def session_parts(reader: IndexReader, runs: Sequence[Run]) -> Intact[dict[str, RunParts]]:
    """The parts of each intact run by its id; only runs that changed since the last call are read."""
    with _lock:
        cache = _cache.setdefault(reader, OrderedDict())
        cached = {run.id: cache[_state(run)] for run in runs if _state(run) in cache}
    missing = [run for run in runs if run.id not in cached]
    ids = [run.id for run in missing]
    read: Intact[list[ItemSeries[Part]]] = read_part(
        reader, ids, lambda intact: read_items(reader, HPARAMS, intact, None), empty=[]
    )
    missing = [run for run in missing if run.id not in read.rebuilding]
    fresh = {run.id: RunParts() for run in missing}
    for series in read.answer:
        own = fresh[series.run]
        for item in series.items:
            if item.value is not None:
                own.parts.append((item.value, item.wall_time))
            else:
                own.error = item.error
    with _lock:
        for run in missing:
            cache[_state(run)] = fresh[run.id]
        for run in runs:
            if _state(run) in cache:
                cache.move_to_end(_state(run))
        while len(cache) > _CACHE_SIZE:
            cache.popitem(last=False)
    return Intact(cached | fresh, read.rebuilding)
