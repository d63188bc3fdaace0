"""Arguments of single slices, read from the file of the recording when somebody asks."""

from __future__ import annotations

from mindinsight_like.profiler.results.analyses import Opened
from mindinsight_like.profiler.traces.files import Files, Unreadable
from mindinsight_like.profiler.traces.readers.arguments import Details, details_of


def noted(opened: Opened, place: int, base_dir: str) -> Details:
    """What the profiler noted of the slice whose record begins at a place; nothing where the file has gone."""
    file = opened.analysed.trace.file
    if file not in opened.profile.source.files:
        return Details()
    try:
        return details_of(Files(base_dir), file, place)
    except (OSError, Unreadable):
        return Details()
