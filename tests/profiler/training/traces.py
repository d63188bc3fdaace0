"""Read what a recording left, through the doors that the service uses."""

from __future__ import annotations

import os
from pathlib import Path

from mindinsight_like.profiler.traces.files import Files
from mindinsight_like.profiler.traces.sources import read, sources_of
from mindinsight_like.profiler.traces.trace import Trace


def traces_in(folder: Path) -> list[Trace]:
    """All recordings below a folder, the oldest first."""
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    sources = sorted(sources_of(names), key=lambda source: source.main)
    return [read(source, Files(os.fspath(folder)), lambda share: None) for source in sources]


def only_trace(folder: Path) -> Trace:
    """The one recording below a folder."""
    (trace,) = traces_in(folder)
    return trace


def rows(trace: Trace) -> list[tuple[str, str, str, int, int]]:
    """Name, type, thread, start and end of each slice, in order of time."""
    slices = trace.slices
    if slices is None:
        return []
    found = [
        (
            trace.texts[slices.name[row]],
            trace.texts[slices.type[row]],
            trace.tracks[slices.track[row]].name,
            int(slices.start[row]),
            int(slices.start[row] + slices.duration[row]),
        )
        for row in range(len(slices.start))
    ]
    return sorted(found, key=lambda each: (each[3], -each[4]))


def names(trace: Trace) -> list[str]:
    """Names of the slices in order of time."""
    return [each[0] for each in rows(trace)]
