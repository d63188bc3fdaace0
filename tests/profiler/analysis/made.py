"""Small recordings made by hand or by hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from mindinsight_like.profiler.traces.trace import Activity, Place, Slices, Trace, Track

HOST, DEVICE, LAYER = (
    Track("thread", "python"),
    Track("stream", "GPU", Place.DEVICE),
    Track("rows", "tool", Place.LAYER),
)


@dataclass(frozen=True)
class Made:
    """One slice."""

    start: int
    duration: int
    name: str = "op"
    track: int = 0
    activity: Activity = Activity.OPERATOR
    correlation: int = 0
    shape: str = ""
    type: str = ""
    dtype: str = ""

    @property
    def end(self) -> int:
        return self.start + self.duration


def trace_of(made: Sequence[Made], tracks: Sequence[Track] = (HOST,)) -> Trace:
    """A recording with these slices, in this order."""
    texts = sorted({text for one in made for text in (one.name, one.type or one.name, one.shape, one.dtype) if text})
    number = {text: at for at, text in enumerate(texts)} | {"": -1}

    def ints(values: list[int]) -> np.ndarray:
        return np.array(values, np.int32)

    slices = Slices(
        np.array([one.start for one in made], np.int64),
        np.array([one.duration for one in made], np.int64),
        ints([one.track for one in made]),
        ints([number[one.name] for one in made]),
        ints([number[one.type or one.name] for one in made]),
        np.array([one.activity for one in made], np.uint8),
        np.array([one.correlation for one in made], np.int64),
        ints([number[one.shape] for one in made]),
        np.arange(len(made), dtype=np.int64),
        ints([number[one.dtype] for one in made]),
    )
    return Trace("chrome", texts=texts, tracks=list(tracks), slices=slices)


def slices(
    *, tracks: int = 2, most: int = 40, latest: int = 60, activities: Sequence[Activity] = (Activity.OPERATOR,)
) -> st.SearchStrategy[list[Made]]:
    """Short times on few tracks, so that ties, equal intervals and overlaps of all kinds are common."""
    one = st.builds(
        Made,
        start=st.integers(0, latest),
        duration=st.one_of(st.integers(0, 8), st.integers(0, latest)),
        name=st.sampled_from(["a", "b", "c"]),
        track=st.integers(0, tracks - 1),
        activity=st.sampled_from(activities),
        shape=st.sampled_from(["", "[2]", "[3]"]),
    )
    return st.lists(one, max_size=most)
