"""Writer streams: which log files of a run continue one curve, and which were written in parallel.

A folder may hold the file of a first attempt and those of resumed ones: one curve after the other. It may also hold
the files of several ranks that trained together: their curves stay apart. MindSpore's file names tell the rank.
Elsewhere two files count as written together when both begin at the same step, the one began before the other ended,
and their names do not show the same process.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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
    # What follows is explained at the table `series`.
    points: int
    first_step: int
    last_step: int
    first_wall: float
    last_wall: float
    min: float | None
    max: float | None
    last_value: float | None
    non_finite: int
    superseded: int | None

    @property
    def has_one_step(self) -> bool:
        """Whether it has several points that all have the same step."""
        return self.points > 1 and self.first_step == self.last_step


class Lane(NamedTuple):
    """Series whose points follow each other, and what distinguishes them from other lanes (empty when alone)."""

    source: str
    series: list[FileSeries]
    limits: tuple[int | None, ...]  # for each series the step from which on a session that started later hides it
    has_starts: bool = False  # in a file of its own, which may hide points of that file


class SessionStart(NamedTuple):
    """A file's announcement that training is taken up again at a step (TensorBoard's SessionLog START)."""

    file: int
    file_name: str
    step: int
    wall: float


def with_starts(lanes_of_tag: Sequence[Lane], starts: Sequence[SessionStart]) -> list[Lane]:
    """The lanes of a tag, told of the session starts in their run.

    TensorBoard reads the files of a folder in the order of their names, and a start hides what it has read by then.
    Here files stay untouched that were written beside the one with the start: those of other lanes, and those that
    went on after it.
    """
    if not starts:
        return list(lanes_of_tag)
    lane_of = {series.file: place for place, lane in enumerate(lanes_of_tag) for series in lane.series}
    limited = []
    for place, lane in enumerate(lanes_of_tag):
        limits = tuple(
            min(
                (
                    start.step
                    for start in starts
                    if start.file_name > series.file_name
                    and _folder(start.file_name) == _folder(series.file_name)
                    and lane_of.get(start.file, place) == place
                    and start.wall >= series.last_wall
                ),
                default=None,
            )
            for series in lane.series
        )
        own = {series.file for series in lane.series}
        limited.append(lane._replace(limits=limits, has_starts=any(start.file in own for start in starts)))
    return limited


def _folder(file_name: str) -> str:
    return file_name.rpartition("/")[0]


def lanes(all_series: Iterable[FileSeries]) -> list[Lane]:
    """The curves that the series of one tag of one run make."""
    apart: dict[tuple[str, str], list[FileSeries]] = {}
    for each in all_series:
        apart.setdefault((each.folder_source, each.sub), []).append(each)
    return [
        lane._replace(source=" · ".join(filter(None, (*names, lane.source))))
        for names, series in sorted(apart.items())
        for lane in _by_writer(series)
    ]


def _by_writer(all_series: Iterable[FileSeries]) -> list[Lane]:
    grouped: list[list[FileSeries]] = []
    for each in sorted(all_series, key=lambda each: (each.first_wall, each.file_name)):
        for group in grouped:
            if not _together(group[-1], each):
                group.append(each)
                break
        else:
            grouped.append([each])
    if len(grouped) == 1:
        return [Lane("", grouped[0], (None,) * len(grouped[0]))]
    apart = [Lane(_writer(group[0]), group, (None,) * len(group)) for group in grouped]
    return sorted(apart, key=lambda lane: (lane.source, [series.file_name for series in lane.series]))


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
    match = _TENSORBOARD_WRITER.search(base)
    return match[1] if match else base
