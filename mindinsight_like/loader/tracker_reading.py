"""Reads logs of trackers: slices of their readers become updates of the index.

A log of one run is one tracked file. A store of many runs is one, too, with the cursor of its reader, and each of its
runs is another, whose name is that of the store with the key of the run behind it; all are stored in one transaction.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mindinsight_like.loader.discovery import FoundFile
from mindinsight_like.loader.following import SliceLimits
from mindinsight_like.loader.tracker_batches import SeriesNumbers, batch_of, storable_text
from mindinsight_like.loader.tracker_logs import LogStatus, log_status
from mindinsight_like.logs.base_dirs import BaseDirs
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.store.files import DAMAGED, UNREADABLE, FileUpdate, Pace, TrackedFile, Trouble
from mindinsight_like.trackers.documents import merged_lineage
from mindinsight_like.trackers.reader import Limits, Log, LogUnreadable, RunSlice, Slice
from mindinsight_like.trackers.registry import reader_of
from mindinsight_like.trackers.source import LocalSource

log = logging.getLogger(__name__)

_MOST_LOGS = 64  # whose series are remembered
_LATEST_STEP = (1 << 63) - 1


class _Series(NamedTuple):
    """The series of a file, good only for the place up to which it was read."""

    cursor: bytes
    series: SeriesNumbers
    said: bytes  # the lineage document


class TrackerReading:
    """Reads the next slices of trackers' logs."""

    def __init__(
        self,
        dirs: BaseDirs,
        keys: Callable[[TrackedFile], Sequence[bytes]],
        said: Callable[[TrackedFile], bytes],
        limits: SliceLimits,
    ) -> None:
        self._dirs = dirs
        self._keys = keys
        self._said = said
        self._limits = Limits(limits.points, limits.bytes, limits.seconds)
        self._series: dict[str, _Series] = {}  # of logs of one run; the one used last comes last

    def forget(self, name: str) -> None:
        """Drop what is known of a log that is gone."""
        self._series.pop(name, None)

    def read(self, entry: FoundFile, tracked: TrackedFile | None, runs: Mapping[str, TrackedFile]) -> FileUpdate | None:
        """The next slice of a log; `runs` are those that are known of a store. None when there is nothing to store."""
        is_new = tracked is None or tracked.mark == DAMAGED or tracked.dialect != entry.kind.dialect
        before = TrackedFile(entry.name, entry.run, entry.kind.dialect) if tracked is None else tracked
        if is_new:
            before = before._replace(cursor=b"", document_bytes=0, pace=b"", display_name="", writer_state=None)
        source = LocalSource(self._dirs)
        try:
            reader = reader_of(entry.kind.dialect)
            before = before._replace(is_store=reader.is_store, mark=b"", is_verified=True)
            versions = {
                name: version
                for name in reader.members(source, entry.name)
                if (version := source.version(name)) is not None
            }
            status = log_status(versions)
            if status is None:
                return None  # it has gone, as the next look will see
            if not is_new and not before.is_partial and _has_status(before, status):
                return None
            part = reader.read(Log(source, entry.name, versions, before.cursor, self._limits))
        except (LogUnreadable, OSError) as error:
            return _unreadable(before, tracked, entry, _reason(error))
        except Exception as error:  # whatever a log holds, it must not keep others from being read
            log.exception("the reader of %s failed", entry.name)
            return _unreadable(before, tracked, entry, f"its reader failed: {type(error).__name__}: {error}")
        finally:
            source.close()
        starts_over = is_new and tracked is not None
        file = before._replace(
            size=status.st_size,
            mtime_ns=status.st_mtime_ns,
            ctime_ns=status.st_ctime_ns,
            inode=status.st_ino,
            position=max(0, part.position),
            cursor=part.cursor,
            is_partial=part.is_partial,
        )
        if reader.is_store:
            return self._of_store(file, part, runs, starts_over=starts_over)
        return self._of_run(file, _joined(part), tracked, starts_over=starts_over)

    def _of_store(
        self, store: TrackedFile, part: Slice, runs: Mapping[str, TrackedFile], *, starts_over: bool
    ) -> FileUpdate:
        updates = {}
        for each in part.runs:
            name = f"{store.name}/{_clean(each.key)}"
            known = runs.get(name)
            file = known or TrackedFile(name, _below(store.run, each.key), store.dialect, store=store.name)
            file = file._replace(
                mtime_ns=_last_change(each, store.mtime_ns, file),
                ctime_ns=store.ctime_ns,
                is_verified=True,
            )
            updates[name] = self._of_run(file, each, known, starts_over=starts_over and known is not None)
        gone = {f"{store.name}/{_clean(key)}" for key in part.gone}
        if starts_over:
            gone.update(runs)
        troubles = tuple(
            Trouble(max(0, each.offset), storable_text(each.kind), storable_text(each.message)) for each in part.damage
        )
        return FileUpdate(
            store,
            starts_over=starts_over,
            troubles=troubles,
            runs=tuple(updates.values()),
            gone=tuple(runs[name] for name in gone if name in runs and name not in updates),
        )

    def _of_run(
        self, file: TrackedFile, part: RunSlice, tracked: TrackedFile | None, *, starts_over: bool
    ) -> FileUpdate:
        starts_over = starts_over or (part.starts_over and tracked is not None)
        if starts_over:
            file = file._replace(document_bytes=0, pace=b"", display_name="", damages=0, writer_state=None)
        none = _Series(b"", SeriesNumbers(()), b"")
        _, series, said = none if starts_over or tracked is None else self._series_of(tracked)
        merged = merged_lineage(said, part.lineage) if part.lineage else said
        brought = batch_of(part, series, file.document_bytes, file.mtime_ns / 1e9)
        file = file._replace(
            document_bytes=file.document_bytes + len(brought.documents),
            pace=Pace.unpack(file.pace).with_batch(brought.batch).pack(),
        )
        if part.display_name is not None:
            file = file._replace(display_name=storable_text(part.display_name))
        if part.state is not None:
            file = file._replace(writer_state=_storable(part.state, file.mtime_ns / 1e9))
        if tracked is None:
            file = file._replace(created_at=_began_at(part))
        if not file.store:
            self._remember(file.name, _Series(file.cursor, series, merged))
        lineage = merged if merged != said else None
        return FileUpdate(file, brought.batch, series.keys, starts_over, documents=brought.documents, lineage=lineage)

    def _series_of(self, tracked: TrackedFile) -> _Series:
        remembered = self._series.pop(tracked.name, None)
        if remembered is not None and remembered.cursor == tracked.cursor:
            return remembered
        return _Series(tracked.cursor, SeriesNumbers(self._keys(tracked)), self._said(tracked))

    def _remember(self, name: str, series: _Series) -> None:
        self._series[name] = series
        if len(self._series) > _MOST_LOGS:
            del self._series[next(iter(self._series))]


def _has_status(file: TrackedFile, status: LogStatus) -> bool:
    return (file.size, file.mtime_ns, file.ctime_ns, file.inode) == status


def _joined(part: Slice) -> RunSlice:
    """What a log of one run has brought; damage of the log is that of its run."""
    run = part.runs[0] if part.runs else RunSlice()
    return replace(run, damage=[*run.damage, *part.damage])


def _below(run: str, key: str) -> str:
    """The name of a run of a store."""
    return _clean(key) if run == "." else f"{run}/{_clean(key)}"


def _clean(key: str) -> str:
    """The key of a run as part of a path."""
    parts = [storable_text(each) for each in key.split("/")]
    return "/".join(each if each.strip(".") else f"_{each}" for each in parts)


def _last_change(part: RunSlice, store_ns: int, before: TrackedFile) -> int:
    """When a run of a store got something last: a store that is written to says nothing about each of its runs."""
    times = []
    if part.points is not None and len(part.points.walls):
        times += part.points.walls[np.isfinite(part.points.walls)].tolist()[-1:]
    if part.state is not None:
        times.append(part.state.started_at if part.state.ended_at is None else part.state.ended_at)
    latest = max((each for each in times if 0 < each < 1e10), default=None)
    if latest is None:
        return before.mtime_ns or store_ns
    return max(before.mtime_ns, min(int(latest * 1e9), store_ns))


def _began_at(part: RunSlice) -> float | None:
    if part.state is not None and 0 < part.state.started_at < 1e10:
        return part.state.started_at
    walls = part.points.walls if part.points is not None else None
    if walls is None or not len(walls) or not math.isfinite(first := float(walls[0])) or not 0 < first < 1e10:
        return None
    return first


def _storable(state: WriterState, now: float) -> WriterState:
    total = state.total_steps
    return state._replace(
        started_at=state.started_at if math.isfinite(state.started_at) and state.started_at > 0 else now,
        ended_at=state.ended_at if state.ended_at is not None and math.isfinite(state.ended_at) else None,
        reason=storable_text(state.reason),
        word=storable_text(state.word),
        total_steps=total if total is not None and 0 < total < _LATEST_STEP else None,
    )


def _reason(error: Exception) -> str:
    if isinstance(error, LogUnreadable):
        return str(error)
    return f"it cannot be read: {getattr(error, 'strerror', None) or error}"


def _unreadable(file: TrackedFile, tracked: TrackedFile | None, entry: FoundFile, message: str) -> FileUpdate | None:
    """The warning about a log, which is tried again when it changes; what was read of it stays."""
    if tracked is not None and tracked.mark != DAMAGED and (tracked.size, tracked.mtime_ns) == (entry.size, 0):
        return None
    trouble = Trouble(0, UNREADABLE, storable_text(message))
    kept = file if tracked is None else tracked
    return FileUpdate(
        kept._replace(is_store=file.is_store, size=entry.size, mtime_ns=0, is_partial=False, mark=kept.mark),
        troubles=(trouble,),
    )
