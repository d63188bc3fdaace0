"""Arguments of single slices, read on demand from the recording."""

from __future__ import annotations

from typing import Any

from mindinsight_like.profiler.jobs.analysis_jobs import Opened
from mindinsight_like.profiler.traces.files import Files, Unreadable
from mindinsight_like.profiler.traces.readers.arguments import arguments


def arguments_of(opened: Opened, place: int, base_dir: str) -> dict[str, Any]:
    """What the profiler noted of the slice whose record begins at a place; nothing where the file has gone."""
    file = opened.analysed.trace.file
    if file not in opened.profile.source.files:
        return {}
    try:
        return arguments(Files(base_dir), file, place)
    except (OSError, Unreadable):
        return {}


def stack_in(slice_arguments: dict[str, Any]) -> list[str]:
    """The calls that arguments tell of; none where the profiler did not record them."""
    return next(
        (value for key, value in slice_arguments.items() if "stack" in key.lower() and isinstance(value, list)), []
    )
