"""Recordings for tests: found and read as the service does it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mindinsight_like.profiler.traces.files import Files
from mindinsight_like.profiler.traces.sources import read, sources_of
from mindinsight_like.profiler.traces.trace import Trace


def traces_in(base_dir: Path, folder: str = "") -> dict[int, Trace]:
    """The recordings below a folder by rank; there must not be two of one rank."""
    names = [
        str((Path(parent) / file).relative_to(base_dir))
        for parent, _, files in os.walk(base_dir / folder)
        for file in files
        if file != "expected.json"
    ]
    found = [read(source, Files(str(base_dir)), lambda share: None) for source in sources_of(names)]
    by_rank = {trace.rank: trace for trace in found}
    assert len(by_rank) == len(found)
    for trace in found:
        assert_sound(trace)
    return by_rank


def trace_in(base_dir: Path, folder: str = "") -> Trace:
    """The only recording below a folder."""
    (trace,) = traces_in(base_dir, folder).values()
    return trace


def trace_of(base_dir: Path, content: Mapping[str, str | bytes]) -> Trace:
    """The recording that these files are, written below the folder first."""
    for name, text in content.items():
        path = base_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return trace_in(base_dir)


def assert_sound(trace: Trace) -> None:
    """Every column of a table has its length, and every index leads somewhere."""
    slices = trace.slices
    if slices is None:
        return
    lengths = {name: len(column) for name, column in vars(slices).items()}
    assert lengths.pop("dtype") in (0, len(slices.start))  # empty where a format has none
    assert set(lengths.values()) == {len(slices.start)}
    assert int(slices.duration.min(initial=0)) >= 0
    for column, there in ((slices.track, trace.tracks), (slices.name, trace.texts), (slices.type, trace.texts)):
        assert column.min(initial=0) >= 0
        assert column.max(initial=-1) < len(there)


def sums_by(trace: Trace, column: str, process: str | None = None) -> dict[str, tuple[int, int]]:
    """Count and total nanoseconds of slices by their `name` or `type`, of all tracks or of those of a process."""
    assert trace.slices is not None
    wanted = np.isin(
        trace.slices.track, [i for i, track in enumerate(trace.tracks) if process is None or track.process == process]
    )
    codes = getattr(trace.slices, column)[wanted]
    counts = np.bincount(codes, minlength=len(trace.texts))
    totals = np.bincount(codes, trace.slices.duration[wanted], minlength=len(trace.texts))
    return {
        text: (int(count), round(total))
        for text, count, total in zip(trace.texts, counts, totals, strict=True)
        if count
    }
