"""The trace of the benchmark is one that our reader takes for torch's, with nothing lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mindinsight_like.profiler.traces.files import Files
from mindinsight_like.profiler.traces.sources import read, sources_of
from mindinsight_like.profiler.traces.trace import Activity, Place

from .kineto_trace import write_trace


def test_the_trace_is_read_whole(tmp_path: Path) -> None:
    slices = write_trace(tmp_path / "bench.pt.trace.json", 2)
    assert 1_500_000 < (tmp_path / "bench.pt.trace.json").stat().st_size < 2_500_000
    (source,) = sources_of(["bench.pt.trace.json"])
    trace = read(source, Files(str(tmp_path)), lambda share: None)
    assert trace.slices is not None and trace.losses == []
    assert len(trace.slices.start) == slices
    counts = np.bincount(trace.slices.activity, minlength=16)
    launches, collectives = int(counts[Activity.LAUNCH]), int(counts[Activity.COMMUNICATION])
    assert int(counts[Activity.STEP]) == 8
    assert int(counts[Activity.KERNEL]) == 10 * collectives == launches - collectives
    assert int(counts[Activity.OPERATOR]) == 20 * collectives
    assert [track.place for track in trace.tracks].count(Place.DEVICE) == 2
