"""Partial results while some runs are being rebuilt: only the intact runs are included."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from mindinsight_like.errors import Rebuilding
from mindinsight_like.store.reader import IndexReader

T = TypeVar("T")

_TRIES = 8  # each meets one more damaged segment at most; the next request goes on from there
_MOST_PROBES = 50  # of parts of the runs, where damaged pages of the database are in the way


@dataclass(frozen=True)
class Intact(Generic[T]):
    """An answer without the runs that are being rebuilt."""

    answer: T
    rebuilding: list[str]  # those runs, in the order asked for


def read_intact(reader: IndexReader, runs: Sequence[str], read: Callable[[list[str]], T]) -> Intact[T]:
    """What `read` returns for the runs that are not being rebuilt; raises Rebuilding when that is none of them."""
    damaged = reader.runs.under_repair(runs)
    for _ in range(_TRIES):
        intact = [run for run in runs if run not in damaged]
        if damaged and not intact:
            break
        try:
            return Intact(read(intact), [run for run in dict.fromkeys(runs) if run in damaged])
        except Rebuilding:
            # A damaged segment was reported by the reader; of a damaged page nobody knows which runs it concerns.
            damaged |= reader.runs.under_repair(intact) or _unreadable(intact, read)
    raise Rebuilding("These runs are damaged in the index and are being rebuilt from their logs; ask again soon.")


def read_part(reader: IndexReader, runs: Sequence[str], read: Callable[[list[str]], T], *, empty: T) -> Intact[T]:
    """As `read_intact`, for a part of an answer: `empty` where no run is intact."""
    try:
        return read_intact(reader, runs, read) if runs else Intact(empty, [])
    except Rebuilding:
        return Intact(empty, list(dict.fromkeys(runs)))


def _unreadable(runs: Sequence[str], read: Callable[[list[str]], T]) -> set[str]:
    """The runs that cannot be read, looked for by halves; what was not looked at in time counts as one of them."""
    pending = deque([list(dict.fromkeys(runs))])
    damaged: set[str] = set()
    for _ in range(_MOST_PROBES):
        if not pending:
            break
        part = pending.popleft()
        try:
            read(part)
        except Rebuilding:
            if len(part) == 1:
                damaged.add(part[0])
            else:
                pending += [part[: len(part) // 2], part[len(part) // 2 :]]
    return damaged.union(*pending)
