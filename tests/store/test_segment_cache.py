"""The cache of segments holds what was used last, within its bounds."""

from __future__ import annotations

import threading

from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.store.segments.segment_cache import SegmentCache
from mindinsight_like.store.segments.segments import Segment, decode, encode

from .making import batches


def _segment() -> Segment:
    return decode(b"".join(encode(*batches([("a", 1, 1.0)]))))


_SEGMENTS = [_segment() for _ in range(6)]


@given(st.lists(st.tuples(st.sampled_from(["get", "put"]), st.integers(0, 5))), st.integers(1, 20))
def test_least_recently_used_segments_go_first(steps: list[tuple[str, int]], room: int) -> None:
    costs = [1, 2, 3, 5, 8, 30]
    cache = SegmentCache(room)
    held: list[int] = []  # the least recently used first
    for action, segment in steps:
        if action == "get":
            assert cache.get(segment) is (_SEGMENTS[segment] if segment in held else None)
            if segment in held:
                held.remove(segment)
                held.append(segment)
        else:
            cache.put(segment, _SEGMENTS[segment], costs[segment])
            if segment not in held:
                held.append(segment)
            while len(held) > 1 and sum(costs[each] for each in held) > room:
                held.pop(0)

    for segment in range(6):
        assert (cache.get(segment) is not None) == (segment in held)


def test_threads_share_a_cache() -> None:
    cache = SegmentCache(10)
    failures: list[Exception] = []

    def work(start: int) -> None:
        try:
            for turn in range(2000):
                segment = (start + turn) % 6
                found = cache.get(segment)
                assert found is None or found is _SEGMENTS[segment]
                cache.put(segment, _SEGMENTS[segment], 3)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
