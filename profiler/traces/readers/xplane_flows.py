"""Arrows between events of an XPlane: who produced something, and who consumed it."""

from __future__ import annotations

import numpy as np

from mindinsight_like.profiler.traces.trace import Flows, Longs

from .assembly import Assembly, distinct


class Ends:
    """Beginnings and ends of arrows, line by line."""

    def __init__(self) -> None:
        self._parts: dict[bool, list[tuple[Longs, Longs, Longs, Longs]]] = {True: [], False: []}

    def add(self, is_producer: bool, kind: Longs, number: Longs, time: Longs, track: int) -> None:
        """Events with a flow of that kind and number on a track."""
        if len(time):
            self._parts[is_producer].append((kind, number, time, np.full(len(time), track, np.int64)))

    def columns(self, is_producer: bool) -> list[Longs]:
        """Kind, number, time, track."""
        parts = self._parts[is_producer]
        return [np.concatenate(column) for column in zip(*parts, strict=True)] if parts else []


def flows_of(ends: Ends, assembly: Assembly) -> Flows | None:
    """An arrow from each producer to its consumers; the first producer of a number counts."""
    producers, consumers = ends.columns(is_producer=True), ends.columns(is_producer=False)
    if not producers or not consumers:
        return None
    numbers, number = distinct(np.concatenate([producers[1], consumers[1]]))
    _, kind = distinct(np.concatenate([producers[0], consumers[0]]))
    _, key = distinct(kind * len(numbers) + number)
    produced, consumed = key[: len(producers[0])], key[len(producers[0]) :]
    first = np.full(int(key.max()) + 1, -1, np.int64)
    first[produced[::-1]] = np.arange(len(produced))[::-1]
    source = first[consumed]
    has = source >= 0
    if not has.any():
        return None
    source = source[has]
    return Flows(
        producers[2][source],
        producers[3][source].astype(np.int32),
        consumers[2][has],
        consumers[3][has].astype(np.int32),
        np.full(len(source), assembly.text("flow"), np.int32),
    )
