"""Binary records of an Ascend device: tasks and step marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.files import Files
from mindinsight_like.profiler.traces.trace import Ints, Longs

TICK_NANOSECONDS: Final = 10  # of the device's counter
_FIRST_UNIQUE_TASK: Final = 25_000  # smaller numbers of tasks mean something else in every stream
_CHUNK_BYTES: Final = 64 * 2**16
_MOST_TICKS: Final = 2**58

_TASK: Final = np.dtype(
    {
        "names": ["kind", "task", "ticks", "stream"],
        "formats": ["u1", "<u2", "<u8", "<u4"],
        "offsets": [0, 6, 8, 16],
        "itemsize": 64,
    }
)
_MARK: Final = np.dtype([("tag", "<u8"), ("task", "<u2"), ("stream", "<u2"), ("ticks", "<u8")])
_START, _END = 0, 1
_FORWARD, _BACKWARD, _STEP_END = 1, 2, 255


@dataclass
class Tasks:
    """Executions of tasks, in ticks."""

    begin: Longs
    end: Longs
    task: Longs
    stream: Longs
    records: int = 0
    unpaired: int = 0
    overflows: int = 0  # records that the device marks as following lost ones
    cut_bytes: int = 0


@dataclass
class Marks:
    """Training steps and the collectives inside them, in ticks; NOTHING for a mark that a step does not have."""

    begin: Longs
    end: Longs
    forward: Longs
    backward: Longs
    collective_step: Longs  # 1 for the first step
    collective_tag: Longs
    collective_stream: Longs
    collective_begin: Longs
    collective_end: Longs
    records: int = 0
    unfinished: int = 0  # steps without an end, a forward or a backward mark
    unpaired: int = 0  # marks of collectives
    cut_bytes: int = 0


def task_key(task: Longs, stream: Longs) -> Longs:
    """What the task list of the framework knows a task by; streams count only where numbers are used again."""
    return np.where(task < _FIRST_UNIQUE_TASK, stream << 16 | task, task)


def tasks(files: Files, names: Sequence[str]) -> Tasks:
    """The executions that hwts files tell of; their slices are one stream of records."""
    parts: list[NDArray[Any]] = []
    records = overflows = cut = 0
    for part, rest in _records(files, names, _TASK):
        records += len(part)
        overflows += int((part["kind"] & 8 != 0).sum())
        parts.append(part[part["kind"] & 7 <= _END])
        cut = rest
    all_kept = np.concatenate(parts) if parts else np.empty(0, _TASK)
    all_kept = all_kept[all_kept["ticks"] < _MOST_TICKS]
    kind = (all_kept["kind"] & 7).astype(np.int64)
    task, stream, ticks = (all_kept[column].astype(np.int64) for column in ("task", "stream", "ticks"))
    order = np.argsort(stream << 16 | task, kind="stable")
    kind, task, stream, ticks = kind[order], task[order], stream[order], ticks[order]
    same = (task[1:] == task[:-1]) & (stream[1:] == stream[:-1])
    first = np.flatnonzero(same & (kind[:-1] == _START) & (kind[1:] == _END))
    return Tasks(
        ticks[first], ticks[first + 1], task[first], stream[first], records, len(kind) - 2 * len(first), overflows, cut
    )


def marks(files: Files, names: Sequence[str]) -> Marks:
    """The steps that training_trace files tell of."""
    parts: list[NDArray[Any]] = []
    cut = 0
    for part, rest in _records(files, names, _MARK):
        parts.append(part.copy())
        cut = rest
    everything = np.concatenate(parts) if parts else np.empty(0, _MARK)
    usable = everything[everything["ticks"] < _MOST_TICKS]
    tag = np.minimum(usable["tag"], 256).astype(np.int64)
    ticks, stream = usable["ticks"].astype(np.int64), usable["stream"].astype(np.int64)
    begins = (tag == 0) | (tag == 256)
    step = np.cumsum(begins) - (1 if len(begins) and begins[0] else 0)
    count = int(step[-1]) + 1 if len(step) else 0
    forward = _first_of(step, ticks, tag == _FORWARD, count)
    backward = _last_of(step, ticks, tag == _BACKWARD, count)
    end = _last_of(step, ticks, tag == _STEP_END, count)
    whole = (forward >= 0) & (backward >= 0) & (end >= 0)
    number = np.cumsum(whole)
    begin = forward.copy()
    follows = np.flatnonzero(whole[1:] & whole[:-1]) + 1
    begin[follows] = end[follows - 1]
    is_collective = (tag > _BACKWARD) & (tag < _STEP_END)
    order = np.flatnonzero(is_collective)
    order = order[np.lexsort((stream[order], step[order]))]
    s, t, m = step[order], tag[order], stream[order]
    first = np.flatnonzero((s[1:] == s[:-1]) & (m[1:] == m[:-1]) & (t[1:] == t[:-1] + 1) & (t[:-1] % 2 == 1))
    first = first[whole[s[first]]] if len(first) else first
    return Marks(
        begin[whole],
        end[whole],
        forward[whole],
        backward[whole],
        number[s[first]],
        t[first],
        m[first],
        ticks[order[first]],
        ticks[order[first + 1]] if len(first) else np.empty(0, np.int64),
        len(everything),
        int((~whole).sum()),
        len(order) - 2 * len(first),
        cut,
    )


def _records(files: Files, names: Sequence[str], dtype: np.dtype[Any]) -> Iterator[tuple[NDArray[Any], int]]:
    """Stretches of whole records, and the bytes that are left after each."""
    rest = b""
    for name in names:
        with files.open(name) as file:
            while content := file.read(_CHUNK_BYTES):
                content = rest + content
                count = len(content) // dtype.itemsize
                rest = content[count * dtype.itemsize :]
                yield np.frombuffer(content, dtype, count), len(rest)


def _first_of(step: Longs, ticks: Longs, selected: NDArray[np.bool_], count: int) -> Longs:
    return _last_of(step[::-1], ticks[::-1], selected[::-1], count)


def _last_of(step: Longs | Ints, ticks: Longs, selected: NDArray[np.bool_], count: int) -> Longs:
    last = np.full(count, -1, np.int64)
    last[step[selected]] = ticks[selected]
    return last
