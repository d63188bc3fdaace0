"""What runs say of their sessions, decoded once: thousands of runs are asked about again whenever one of them grows."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from mindinsight_like.items import HPARAMS, read_items
from mindinsight_like.store.answers import Run
from mindinsight_like.store.reading import IndexReader
from mindinsight_like.values.hparams import Part

_MOST_KEPT = 5000  # runs; some kilobytes each


@dataclass
class RunParts:
    """The parts that the records of one run hold, each with the time it was written at."""

    parts: list[tuple[Part, float]] = field(default_factory=list)
    error: str | None = None  # why a record could not be read


# Together these tell one state of a run from all others, also in an index that was made anew.
_State = tuple[str, int, int, float]


def _state(run: Run) -> _State:
    return run.id, run.version, run.bytes, run.updated_at


_kept: WeakKeyDictionary[IndexReader, OrderedDict[_State, RunParts]] = WeakKeyDictionary()
_lock = threading.Lock()


def session_parts(reader: IndexReader, runs: Sequence[Run]) -> dict[str, RunParts]:
    """The parts of each run by its id; only runs that changed since the last call are read."""
    with _lock:
        kept = _kept.setdefault(reader, OrderedDict())
        found = {run.id: kept[_state(run)] for run in runs if _state(run) in kept}
    missing = [run for run in runs if run.id not in found]
    fresh = {run.id: RunParts() for run in missing}
    for series in read_items(reader, HPARAMS, list(fresh), None) if fresh else ():
        own = fresh[series.run]
        for item in series.items:
            if item.value is not None:
                own.parts.append((item.value, item.wall_time))
            else:
                own.error = item.error
    with _lock:
        for run in missing:
            kept[_state(run)] = fresh[run.id]
        for run in runs:
            if _state(run) in kept:
                kept.move_to_end(_state(run))
        while len(kept) > _MOST_KEPT:
            kept.popitem(last=False)
    return found | fresh
