"""Stable-Baselines3: progress.csv or progress.json of its logger, and monitor.csv of its environments.

The logger's formats repeat each other: progress.csv wins. Its new keys become columns at the right end, and the file
is rewritten whole then. A monitor counts episodes; its steps are those of the environment, the running sum of lengths.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers import cursors, documents
from mindinsight_like.trackers.files.csv_rows import parse_header, points_of, read_rows, read_sample
from mindinsight_like.trackers.reader import Folder, Log, RecognisedLog, RunSlice, Slice
from mindinsight_like.trackers.readers.csv_logs import CsvReader
from mindinsight_like.trackers.readers.json_lines import JsonLinesReader
from mindinsight_like.trackers.source import Source

STEP: Final = "time/total_timesteps"
_FORMATS: Final = ("progress.csv", "progress.json")
_COPIES: Final = frozenset({*_FORMATS, "log.txt"})
_MONITOR: Final = "monitor.csv"


class StableBaselinesReader:
    """Reads the folders of the library's loggers and monitors."""

    dialect = Dialect.STABLE_BASELINES
    is_store = False

    def recognise(self, folder: Folder) -> Iterator[RecognisedLog]:
        for name in _FORMATS:
            if name in folder.files and _is_progress(name, folder.head(name)):
                copies = _COPIES & folder.files
                events = {each for each in folder.files if each.startswith("events.out.tfevents.")}
                yield RecognisedLog(folder.path(name), folder.name, copies | events)
                break
        for name in sorted(folder.files):
            if name.endswith(_MONITOR) and _started(folder.head(name)) is not None:
                run = name.removesuffix(_MONITOR).rstrip(".") or "monitor"
                yield RecognisedLog(folder.path(name), folder.path(run), frozenset({name}))

    def members(self, source: Source, name: str) -> Sequence[str]:
        return (name,)

    def read(self, log: Log) -> Slice:
        name = log.name.rpartition("/")[2]
        if name in _FORMATS:
            reader = _Progress() if name == _FORMATS[0] else JsonLinesReader(steps=(STEP,))
            part = reader.read(log)
            if not log.cursor:
                part.runs[0].lineage = documents.lineage("stable-baselines3", about={"source": name})
            return part
        return _read_monitor(log)


class _Progress(CsvReader):
    steps = (STEP,)


def _is_progress(name: str, head: bytes) -> bool:
    if name.endswith(".json"):
        return JsonLinesReader(steps=(STEP,)).is_log(head)
    header = parse_header(head)
    return header is not None and STEP in header.names


def _started(head: bytes) -> float | None:
    """When a monitor began; None when it is none."""
    cells = read_sample(head)
    if cells is None or cells.header.names[:3] != ("r", "l", "t"):
        return None
    about = _about(cells.header.comment)
    start = about.get("t_start")
    return float(start) if isinstance(start, int | float) and math.isfinite(start) else None


def _about(comment: str) -> Mapping[str, Any]:
    try:
        about = json.loads(comment.removeprefix("#"))
    except (ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) else {}


def _read_monitor(log: Log) -> Slice:
    cursor = cursors.unpack(log.cursor)
    rows = read_rows(log, log.name, cursor.get("place"))
    run = RunSlice(starts_over=rows.starts_over)
    steps_before = cursor.get("steps", 0) if not rows.starts_over else 0
    if rows.cells is not None and "l" in rows.cells.header.names and "t" in rows.cells.header.names:
        about = _about(rows.cells.header.comment)
        lengths, there = rows.cells.column("l")
        with np.errstate(invalid="ignore"):
            is_count = there & (np.abs(lengths) < 1e15)
        steps = steps_before + np.cumsum(np.where(is_count, lengths, 0))
        seconds, has_time = rows.cells.column("t")
        start = about.get("t_start")
        began = float(start) if isinstance(start, int | float) else math.nan
        run.points = points_of(rows, steps, is_count, walls=np.where(has_time, began + seconds, np.nan))
        steps_before = float(steps[-1]) if len(steps) else steps_before
        if not log.cursor or rows.starts_over:
            environment = about.get("env_id")
            run.lineage = documents.lineage(
                "stable-baselines3", params={"env_id": environment} if isinstance(environment, str) else None
            )
    run.damage = rows.damage
    return Slice(
        cursors.pack(place=rows.place or None, steps=steps_before),
        rows.place.get("position", 0),
        is_partial=not rows.is_at_end,
        runs=[run],
    )
