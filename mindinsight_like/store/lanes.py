"""Which log files of a run carry on one curve, and which were written beside each other.

A folder may hold the file of a first attempt and those of resumed ones: one curve after the other. It may also hold
the files of several ranks that trained together: their curves stay apart. MindSpore's file names tell the rank.
Elsewhere two files count as written together when both begin at the same step, the one began before the other ended,
and their names do not show the same process.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_TENSORBOARD_WRITER = re.compile(r"tfevents\.\d+\.(.+?)(?:\.\d+)?(?:\.v2)?$")
_WITH_PROCESS = re.compile(r".*\.\d+$")


class FileSeries(NamedTuple):
    """One series of one log file."""

    run: str
    folder_source: str  # what curves of its folder are called in the run, for folders of `add_scalars`
    file: int
    file_name: str
    rank: int | None
    by_rank: bool  # the dialect's names tell ranks apart
    kind: int
    tag: str
    sub: str
    number: int
    points: int
    first_step: int
    last_step: int
    first_wall: float
    last_wall: float
    min: float | None
    max: float | None
    last_value: float | None
    non_finite: int


class Lane(NamedTuple):
    """Series whose points follow each other, and what distinguishes them from other lanes (empty when alone)."""

    source: str
    series: list[FileSeries]
    restarts_at: int | None = None  # training was taken up again there, in a file that has nothing of this lane yet


class SessionStart(NamedTuple):
    """A file's announcement that training is taken up again at a step (TensorBoard's SessionLog START)."""

    file: int
    file_name: str
    step: int
    wall: float


def with_restart(lane: Lane, starts: Iterable[SessionStart]) -> Lane:
    """The lane, told of starts in its folder after the last of its points."""
    own = {series.file for series in lane.series}
    folders = {_folder(series.file_name) for series in lane.series}
    end = max(series.last_wall for series in lane.series)
    later = [
        start.step
        for start in starts
        if start.file not in own and start.wall >= end and _folder(start.file_name) in folders
    ]
    return lane._replace(restarts_at=min(later)) if later else lane


def _folder(file_name: str) -> str:
    return file_name.rpartition("/")[0]


def lanes(found: Iterable[FileSeries]) -> list[Lane]:
    """The curves that the series of one tag of one run make."""
    apart: dict[tuple[str, str], list[FileSeries]] = {}
    for each in found:
        apart.setdefault((each.folder_source, each.sub), []).append(each)
    return [
        Lane(" · ".join(filter(None, (*names, lane.source))), lane.series)
        for names, series in sorted(apart.items())
        for lane in _by_writer(series)
    ]


def _by_writer(found: Iterable[FileSeries]) -> list[Lane]:
    grouped: list[list[FileSeries]] = []
    for each in sorted(found, key=lambda each: (each.first_wall, each.file_name)):
        for group in grouped:
            if not _together(group[-1], each):
                group.append(each)
                break
        else:
            grouped.append([each])
    if len(grouped) == 1:
        return [Lane("", grouped[0])]
    return sorted(Lane(_writer(group[0]), group) for group in grouped)


def _together(earlier: FileSeries, later: FileSeries) -> bool:
    if earlier.by_rank and later.by_rank:
        return earlier.rank != later.rank
    if later.first_wall >= earlier.last_wall or later.first_step != earlier.first_step:
        return False
    writers = _writer(earlier), _writer(later)
    return writers[0] != writers[1] or not _WITH_PROCESS.match(writers[0])


def _writer(series: FileSeries) -> str:
    if series.by_rank:
        return f"rank {series.rank or 0}"
    base = series.file_name.rpartition("/")[2]
    found = _TENSORBOARD_WRITER.search(base)
    return found[1] if found else base
