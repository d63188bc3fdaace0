"""What happens when segments are replaced, or are damaged, while an answer is made of them."""

from __future__ import annotations

import pytest

from mindinsight_like.errors import Rebuilding, StillLoading
from mindinsight_like.store.segments.segment_access import SegmentAccess, SegmentGone

from .conftest import Index
from .making import GrowingLog


def _segment(index: Index) -> int:
    ((number,),) = index.reader.connection.query("SELECT id FROM segments")
    assert isinstance(number, int)
    return number


def test_segments_that_are_replaced_again_and_again_are_looked_for_again(index: Index) -> None:
    index.grow(GrowingLog("run"), [("loss", 1, 0.5)])
    replaced = iter(range(10))

    def answer() -> str:
        for number in replaced:
            raise SegmentGone(1_000_000 + number)
        return "all of it"

    assert SegmentAccess(index.reader.connection).retry(answer) == "all of it"


def test_a_segment_that_stays_damaged_is_reported(index: Index) -> None:
    log = index.grow(GrowingLog("run"), [("loss", 1, 0.5)])
    number = _segment(index)

    def answer() -> str:
        raise SegmentGone(number)

    with pytest.raises(Rebuilding):
        SegmentAccess(index.reader.connection).retry(answer)

    assert index.reader.connection.repairs.files() == {log.id}


def test_an_index_that_never_settles_is_not_waited_for(index: Index) -> None:
    index.grow(GrowingLog("run"), [("loss", 1, 0.5)])

    def answer() -> str:
        raise SegmentGone(1_000_000)

    with pytest.raises(StillLoading):
        SegmentAccess(index.reader.connection).retry(answer)
