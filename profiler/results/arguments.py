"""Arguments of single slices, read from the file of the recording when somebody asks."""

from __future__ import annotations

from typing import Any

from mindinsight_like.profiler.results.analyses import Opened
from mindinsight_like.profiler.traces.files import Files, Unreadable
from mindinsight_like.profiler.traces.trace import NOTHING


def arguments_of(opened: Opened, place: int, base_dir: str) -> dict[str, Any]:
    """What the profiler noted of the slice whose record begins at a place; nothing where the file has gone."""
    from mindinsight_like.profiler.traces.readers.arguments import arguments

    file = opened.analysed.trace.file
    if place == NOTHING or file not in opened.profile.source.files:
        return {}
    try:
        return arguments(Files(base_dir), file, place)
    except (OSError, Unreadable, ValueError):
        return {}
