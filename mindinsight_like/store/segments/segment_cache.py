"""LRU cache of decoded segments, so that repeated queries for the same runs need neither disk nor database."""

from __future__ import annotations

import threading
from collections import OrderedDict

from mindinsight_like.store.segments.segments import Segment


class SegmentCache:
    """Least recently used segments go first once `most_bytes` are held; ids are never used twice, so none is stale."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._held: OrderedDict[int, tuple[Segment, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, segment: int) -> Segment | None:
        with self._lock:
            if segment not in self._held:
                return None
            self._held.move_to_end(segment)
            return self._held[segment][0]

    def drop(self, segment: int) -> None:
        with self._lock:
            if segment in self._held:
                self._bytes -= self._held.pop(segment)[1]

    def put(self, segment: int, columns: Segment, cost: int) -> None:
        with self._lock:
            if segment not in self._held:
                self._held[segment] = columns, cost
                self._bytes += cost
            while self._bytes > self._most_bytes and len(self._held) > 1:
                self._bytes -= self._held.popitem(last=False)[1][1]
