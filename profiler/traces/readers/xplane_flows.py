"""Flows between producer and consumer events of an XPlane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight_like.profiler.traces.trace import Flows, Longs

from .assembly import Assembly, distinct


@dataclass(frozen=True)
class FlowEvents:
    """Events that begin arrows, or that end them."""

    kind: Longs
    number: Longs
    time: Longs
    track: Longs

    def __len__(self) -> int:
        return len(self.time)


class Ends:
    """Beginnings and ends of arrows, line by line."""

    def __init__(self) -> None:
        self._parts: dict[bool, list[FlowEvents]] = {True: [], False: []}

    def add(self, is_producer: bool, kind: Longs, number: Longs, time: Longs, track: int) -> None:
        """Events with a flow of that kind and number on a track."""
        if len(time):
            tracks = np.full(len(time), track, np.int64)
            self._parts[is_producer].append(FlowEvents(kind, number, time, tracks))

    def events(self, is_producer: bool) -> FlowEvents | None:
        """All that begin arrows, or all that end them; None where there are none."""
        parts = self._parts[is_producer]
        if not parts:
            return None
        return FlowEvents(
            np.concatenate([part.kind for part in parts]),
            np.concatenate([part.number for part in parts]),
            np.concatenate([part.time for part in parts]),
            np.concatenate([part.track for part in parts]),
        )


def flows_of(ends: Ends, assembly: Assembly) -> Flows | None:
    """An arrow from each producer to its consumers; the first producer of a number counts."""
    producers, consumers = ends.events(is_producer=True), ends.events(is_producer=False)
    if producers is None or consumers is None:
        return None
    numbers, number = distinct(np.concatenate([producers.number, consumers.number]))
    _, kind = distinct(np.concatenate([producers.kind, consumers.kind]))
    _, key = distinct(kind * len(numbers) + number)
    produced, consumed = key[: len(producers)], key[len(producers) :]
    first = np.full(int(key.max()) + 1, -1, np.int64)
    first[produced[::-1]] = np.arange(len(produced))[::-1]
    source = first[consumed]
    has = source >= 0
    if not has.any():
        return None
    source = source[has]
    return Flows(
        producers.time[source],
        producers.track[source].astype(np.int32),
        consumers.time[has],
        consumers.track[has].astype(np.int32),
        np.full(len(source), assembly.text("flow"), np.int32),
    )
