"""Write side of the index, used by the loader.

There is one writer per index. What was read from a log file and the position up to which it was read are
committed in one transaction; large segments are written to files of their own before it, and files that no committed
row names are leftovers of a killed loader and are deleted when the index is opened.

Over 400 lines, as all statements of one transaction belong together: whoever changes one has to see the others.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.batch import STATS, Batch
from mindinsight_like.logs.kinds import Dialect, Kind, SeriesName, series_key
from mindinsight_like.logs.run_states import WriterState
from mindinsight_like.store import lineage_rows, run_states
from mindinsight_like.store.database import versions
from mindinsight_like.store.database.database import DamagedDatabase, Row, in_chunks, marks, open_database
from mindinsight_like.store.database.location import IndexLocation, run_id
from mindinsight_like.store.database.schema import RUN_INDEXES, is_current, prepare
from mindinsight_like.store.file_totals import FileTotals, file_totals
from mindinsight_like.store.files import EMPTY, UNFINISHED, FileUpdate, Pace, TrackedFile
from mindinsight_like.store.lineage_rows import LineageRow
from mindinsight_like.store.names import (
    COUNTED_KINDS,
    DIALECT_NAMES,
    PIPELINE_TAG,
    PIPELINES,
    PROFILES,
    WITHOUT_STEPS,
    stored_name,
)
from mindinsight_like.store.progress import Progress
from mindinsight_like.store.repairs import Repairs
from mindinsight_like.store.run_status import STALLED_AFTER_SECONDS
from mindinsight_like.store.run_totals import TotalsUpdate
from mindinsight_like.store.segments import segments
from mindinsight_like.store.segments.merging import merge_start
from mindinsight_like.store.segments.sealing import BrokenSeal, seal
from mindinsight_like.store.series.folding import fold

log = logging.getLogger(__name__)

INLINE_BYTES = 128 * 1024  # smaller segments are kept in the database
WARNINGS_KEPT = 100  # per file; the rest is counted
SETTLED_POINTS = 100_000  # of series whose steps go back: statistics of more than these are left to those who ask

_MANY_SERIES = 50_000  # from here on the tags of a run are not counted in each commit while it loads
_COUNTED_GROWTH = 1.5  # but when there are this much more of them, so that counting takes linear time in all

_FILE_COLUMNS = (
    "id, run, name, dialect, rank, created_at, size, mtime_ns, position, damaged, damages, mark, partial, display_name,"
    " inode, ctime_ns, checksum, verified, first_wall, last_wall, first_step, last_step, points"
)
_RECORDS = ", ".join(str(int(kind)) for kind in sorted(WITHOUT_STEPS))
_SMALLER = "CASE WHEN series.min IS NULL OR excluded.min < series.min THEN excluded.min ELSE series.min END"
_LARGER = "CASE WHEN series.max IS NULL OR excluded.max > series.max THEN excluded.max ELSE series.max END"
# New points all stand behind those that were there: what these show does not change. A series with several points of
# one step only shows them all, until there is another step.
_CONTINUES = f"""(series.superseded IS NOT NULL AND (series.kind IN ({_RECORDS}) OR (
    excluded.first_step > series.last_step
    AND (series.count = 1 OR series.first_step < series.last_step)
    AND (excluded.count = 1 OR excluded.first_step < excluded.last_step))))"""
_ADD_SERIES = f"""
INSERT INTO series (file, kind, tag, sub, key, number, count, first_step, last_step, first_wall, last_wall,
                    min, max, last_value, non_finite, superseded)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (file, number) DO UPDATE SET
    count = series.count + excluded.count
          + CASE WHEN {_CONTINUES} THEN 0 ELSE COALESCE(series.superseded, 0) + excluded.superseded END,
    superseded = CASE WHEN {_CONTINUES} THEN series.superseded + excluded.superseded ELSE NULL END,
    first_step = CASE WHEN excluded.first_step < series.first_step THEN excluded.first_step ELSE series.first_step END,
    last_step = CASE WHEN excluded.last_step > series.last_step THEN excluded.last_step ELSE series.last_step END,
    last_wall = CASE WHEN excluded.last_wall > series.last_wall THEN excluded.last_wall ELSE series.last_wall END,
    min = CASE WHEN excluded.min IS NULL THEN series.min ELSE {_SMALLER} END,
    max = CASE WHEN excluded.max IS NULL THEN series.max ELSE {_LARGER} END,
    last_value = excluded.last_value,
    non_finite = series.non_finite + excluded.non_finite
"""
_ADD_SEGMENT = "INSERT INTO segments (id, file, place, points, bytes, data) VALUES (?, ?, ?, ?, ?, ?)"


class IndexWriter:
    """The one writer of an index; whoever opens it must hold the index's lock."""

    def __init__(
        self,
        location: IndexLocation,
        *,
        stalled_after: float = STALLED_AFTER_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._location = location
        self._stalled_after = stalled_after
        self._clock = clock
        location.segments.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._database = open_database(location.database)
        open_database(location.earlier_database).erase()
        self.repairs = Repairs(location.repairs)
        self._version = 0  # of the last commit of this writer
        self._counted: dict[str, int] = {}  # series of runs when their tags were counted last
        self._uncounted: set[str] = set()  # runs with more tags than their rows say
        self._connection = self._database.connect(write=True)
        try:
            if is_current(self._connection):
                versions.check(location, self._connection)
            else:
                self._start_empty()
            self._drop_leftovers()
        except BaseException:
            self._connection.close()
            raise

    def _start_empty(self) -> None:
        if self._connection.has_table("meta"):  # else it was made just now, and somebody may have opened it
            self._connection.close()
            self._database.erase()
            self._connection = self._database.connect(write=True)
        shutil.rmtree(self._location.segments)
        self._location.segments.mkdir(mode=0o700)
        prepare(self._database, self._connection)
        versions.note(self._location, self._counters()[0] - 1)
        self.repairs.clear()

    def _drop_leftovers(self) -> None:
        """Delete segment files without a row; have log files read again whose segment file is missing or cut short."""
        expected = {
            str(segment): (file, size)
            for segment, file, size in self._connection.execute(
                "SELECT id, file, bytes FROM segments WHERE data IS NULL"
            )
        }
        sizes = {}
        for entry in os.scandir(self._location.segments):
            if entry.name in expected:
                sizes[entry.name] = entry.stat().st_size
            else:
                (self._location.segments / entry.name).unlink()
        lost = {file for segment, (file, size) in expected.items() if sizes.get(segment) != size}
        if lost:
            log.warning("segments of %d log files are lost, probably in a power cut; reading those again", len(lost))
            for file in lost:
                self.repairs.request_file(file)

    def confirm_damage(self) -> None:
        """Raises DamagedDatabase when a reader met damage in the database that is there now."""
        for number in self.repairs.databases():
            if number == self._connection.number or self._database.number() != self._connection.number:
                raise DamagedDatabase("a reader has met damaged pages or missing tables")
            self.repairs.database_done(number)

    def close(self) -> None:
        with contextlib.suppress(Exception):  # it is damaged, or there is no room: the log stays, and nothing is lost
            if self._version and self._connection.settle():
                versions.note(self._location, self._version)
        self._connection.close()

    def files(self) -> dict[str, TrackedFile]:
        """Every log file the index knows, by name."""
        rows = self._connection.execute(
            "SELECT files.id, runs.name, files.name, dialect, rank, files.created_at, size, mtime_ns, position,"
            " damaged, damages, mark, partial, files.display_name, inode, ctime_ns, checksum, verified,"
            " first_wall, last_wall, first_step, last_step, points"
            " FROM files JOIN runs ON runs.id = files.run"
        )
        said = run_states.stored(self._connection)
        return {row[2]: _tracked(row, said.get(row[0])) for row in rows}

    def note_verified(self, files: Sequence[TrackedFile]) -> None:
        """Remember that files still hold what was read of them; no answer changes by that, so no version does."""
        if files:
            with self._connection.transaction():
                self._connection.execute_many(
                    "UPDATE files SET verified = 1 WHERE id = ?", [(file.id,) for file in files]
                )

    def note_heartbeat(self, file: TrackedFile) -> None:
        """Remember that the process of a run lives; readers hear of it when it changes a state."""
        with self._connection.transaction():
            self._store_files([file])
            self._refresh_states([run_id(file.run)])

    def refresh_states(self) -> None:
        """Bring states up to date that change by time alone."""
        if run_states.due(self._connection, self._clock()):
            with self._connection.transaction():
                self._refresh_states(run_states.due(self._connection, self._clock()))

    def _refresh_states(self, runs: Iterable[str]) -> None:
        changed = run_states.refresh(self._connection, runs, now=self._clock(), stalled_after=self._stalled_after)
        if changed:
            version, next_id = self._counters()
            self._connection.execute_many(
                "UPDATE runs SET version = ? WHERE id = ?", [(version, run) for run in changed]
            )
            self._set_counters(version, next_id)

    def keys(self, file: TrackedFile) -> list[bytes]:
        """The series of a file by their number, for a scanner that reads on."""
        rows = self._connection.execute(
            "SELECT kind, tag, sub, key FROM series WHERE file = ? ORDER BY number", (file.id,)
        )
        return [series_key(kind, tag, sub) if key is None else bytes(key) for kind, tag, sub, key in rows]

    def commit(
        self, updates: Sequence[FileUpdate], removed: Sequence[TrackedFile] = (), progress: Progress | None = None
    ) -> list[TrackedFile]:
        """Store what was read, at most one update of a file, and forget removed files, in one transaction.

        Gives the files of the updates with their ids.
        """
        dropped: list[int] = []
        with self._connection.transaction():
            version, next_id = self._counters()
            tracked: list[TrackedFile] = []
            stored: list[Row] = []
            with_lineage = lineage_rows.touched_runs(self._connection, updates, removed)
            for update in updates:
                file = update.file
                if file.id == 0:
                    file = file._replace(id=next_id)
                    next_id += 1
                elif update.starts_over:
                    dropped += self._forget_contents(file.id)
                if update.batch is not None and (len(update.batch.steps) or len(update.batch.blob_steps)):
                    stored.append(self._write_segment(next_id, file.id, next_id, update.batch))
                    next_id += 1
                tracked.append(self._store_warnings(file, update))
            self._connection.execute_many(_ADD_SEGMENT, stored)
            self._connection.execute_many(_ADD_SERIES, _series_rows(updates, tracked))
            self._settle(updates, tracked)
            self._store_files(tracked)
            run_states.put(
                self._connection, [(file.id, file.said) for file in tracked if file.dialect == Dialect.RUN_STATE]
            )
            for file in removed:
                dropped += self._forget_contents(file.id)
                if file.dialect == Dialect.RUN_STATE:
                    run_states.put(self._connection, [(file.id, None)])
                self._connection.execute("DELETE FROM files WHERE id = ?", (file.id,))
            lineage_rows.mark_stale(self._connection, with_lineage, version)
            runs = sorted({file.run for file in (*tracked, *removed)})
            totals = self._refresh_runs(runs, version, counted=self._runs_to_count(runs, updates, removed))
            touched = run_states.with_parents(self._connection, [run_id(run) for run in runs])
            run_states.set_states(
                self._connection, touched, totals, now=self._clock(), stalled_after=self._stalled_after
            )
            self._set_counters(version, next_id)
            if progress is not None:
                self._store_progress(progress.to_text())
        self._unlink(dropped)
        return tracked

    def _settle(self, updates: Sequence[FileUpdate], files: Sequence[TrackedFile]) -> None:
        """Compute the statistics of series that got steps which are not behind all that they had before."""
        for update, file in zip(updates, files, strict=True):
            batch = update.batch
            if batch is None or update.starts_over or len(update.keys) == len(batch.keys):
                continue  # nothing was stored before
            numbers = [*batch.scalar_numbers.tolist(), *batch.blob_numbers.tolist()]
            rows: list[Row] = []
            for chunk in in_chunks(numbers):
                rows += self._connection.execute(
                    "SELECT number, kind, count FROM series WHERE file = ? AND superseded IS NULL"
                    f" AND number IN ({marks(chunk)})",
                    [file.id, *chunk],
                )
            if rows and sum(count for _, _, count in rows) <= SETTLED_POINTS:
                self._settle_series(file.id, [(number, Kind(kind)) for number, kind, _ in rows])

    def _settle_series(self, file: int, series: Iterable[tuple[int, Kind]]) -> None:
        rows = self._connection.execute("SELECT id, data FROM segments WHERE file = ? ORDER BY place", (file,))
        try:
            decoded = [self._segment(segment, data) for segment, data in rows]
        except segments.BadSegment:
            self.repairs.request_file(file)
            return
        from mindinsight_like.store.series.curve_view import default_view  # few files need them
        from mindinsight_like.store.series.series_parts import blob_points, scalar_points
        from mindinsight_like.store.series.series_statistics import Statistics, statistics

        updates: list[tuple[Statistics, int]] = []
        for number, kind in series:
            is_scalar = kind == Kind.SCALAR
            points = scalar_points(decoded, number) if is_scalar else blob_points(decoded, number)
            updates.append((statistics(default_view(points), has_values=is_scalar), number))
        self._connection.execute_many(
            "UPDATE series SET count = ?, superseded = ?, first_step = ?, last_step = ?, min = ?, max = ?,"
            " last_value = ?, non_finite = ? WHERE file = ? AND number = ?",
            [(*each, file, number) for each, number in updates],
        )

    def _segment(self, segment: int, data: bytes | None) -> segments.Segment:
        """A segment, all of it verified; raises BadSegment."""
        from mindinsight_like.store.segments.sealed_segments import (  # not in a first load
            from_bytes,
            from_file,
            wholly_verified,
        )

        if data is not None:
            return from_bytes(bytes(data), segment)
        try:
            return wholly_verified(from_file(segments.map_file(self._location.segments / str(segment)), segment, None))
        except (OSError, ValueError, BrokenSeal) as error:
            raise segments.BadSegment(f"segment {segment} cannot be read: {error}") from error

    def merge_small(self, files: Iterable[TrackedFile]) -> None:
        """Make few segments of many in files that were read in small pieces."""
        for file in files:
            rows = self._connection.execute(
                "SELECT id, place, points FROM segments WHERE file = ? ORDER BY place", (file.id,)
            )
            start = merge_start([points for _, _, points in rows])
            if start is not None:
                try:
                    self._merge(file.id, [segment for segment, _, _ in rows[start:]], place=rows[start][1])
                except segments.BadSegment:
                    self.repairs.request_file(file.id)

    def _merge(self, file: int, old: Sequence[int], place: int) -> None:
        parts = []
        for segment in old:
            ((data,),) = self._connection.execute("SELECT data FROM segments WHERE id = ?", (segment,))
            parts.append(self._segment(segment, data))
        with self._connection.transaction():
            version, next_id = self._counters()
            self._connection.execute_many("DELETE FROM segments WHERE id = ?", [(segment,) for segment in old])
            merged = self._write_segment(next_id, file, place, segments.merge(parts))
            self._connection.execute(_ADD_SEGMENT, merged)
            self._set_counters(version - 1, next_id + 1)  # nothing a reader sees has changed
        self._unlink(old)

    def stale_lineage(self) -> list[str]:
        """The ids of runs whose lineage record has to be made anew."""
        return lineage_rows.stale_runs(self._connection)

    def store_lineage(self, rows: Sequence[LineageRow]) -> None:
        """Keep the lineage of some runs."""
        with self._connection.transaction():
            version, next_id = self._counters()
            lineage_rows.put(self._connection, rows, version)
            run_states.refresh(
                self._connection, [row.run for row in rows], now=self._clock(), stalled_after=self._stalled_after
            )
            self._set_counters(version, next_id)

    def make_run_indexes(self) -> None:
        """Make what lists of runs are quick by, unless it is there already."""
        with self._connection.transaction():
            for index in RUN_INDEXES:
                self._connection.execute(index)

    def show_progress(self, progress: Progress | None) -> None:
        """Let readers see how far loading is; None: all is loaded."""
        with self._connection.transaction():
            self._store_progress(progress.to_text() if progress else "")

    def _store_progress(self, text: str) -> None:
        self._connection.execute("UPDATE meta SET value = ? WHERE key = 'loading'", (text,))

    def _counters(self) -> tuple[int, int]:
        """The version of the commit at hand, and the next free id of files and segments (never used twice)."""
        values: dict[str, str] = dict(
            self._connection.execute("SELECT key, value FROM meta WHERE key IN ('version', 'next_id')")
        )
        return int(values["version"]) + 1, int(values["next_id"])

    def _set_counters(self, version: int, next_id: int) -> None:
        self._version = version
        self._connection.execute_many(
            "UPDATE meta SET value = ? WHERE key = ?", [(str(version), "version"), (str(next_id), "next_id")]
        )

    def _write_segment(self, segment: int, file: int, place: int, part: Batch | segments.Segment) -> Row:
        buffers = seal(segments.encode(part), segment)
        size = sum(len(buffer) for buffer in buffers)
        points = len(part.steps) + len(part.blob_steps)
        if size < INLINE_BYTES:
            return segment, file, place, points, size, b"".join(buffers)
        with (self._location.segments / str(segment)).open("wb", buffering=0) as out:
            for buffer in buffers:
                view = memoryview(buffer)
                while view:  # a raw write may stop early, at two gigabytes at the latest
                    view = view[out.write(view) :]
        return segment, file, place, points, size, None

    def _forget_contents(self, file: int) -> list[int]:
        """Drop all that was read from a file; gives the segment files to delete once this is committed."""
        rows = self._connection.execute("SELECT id FROM segments WHERE file = ? AND data IS NULL", (file,))
        for table in ("segments", "series", "warnings"):
            self._connection.execute(f"DELETE FROM {table} WHERE file = ?", (file,))
        return [segment for (segment,) in rows]

    def _unlink(self, dropped: Iterable[int]) -> None:
        for segment in dropped:
            (self._location.segments / str(segment)).unlink(missing_ok=True)

    def _store_warnings(self, file: TrackedFile, update: FileUpdate) -> TrackedFile:
        """Keep a file's first warnings; gives the file with all of them counted."""
        damage = update.batch.damage if update.batch is not None else []
        if file.damages and not update.starts_over:
            file = file._replace(damages=file.damages - self._drop_passing_warnings(file.id))
        if not damage and not update.troubles and not update.starts_over:
            return file
        warnings = [(trouble.position, trouble.kind, trouble.message) for trouble in update.troubles]
        warnings += [(each.offset, each.kind, each.message) for each in damage]
        before = 0 if update.starts_over else file.damages
        room = max(0, WARNINGS_KEPT - before)
        if warnings and room:
            self._connection.execute_many(
                "INSERT INTO warnings (file, position, kind, message) VALUES (?, ?, ?, ?)",
                [(file.id, *each) for each in warnings[:room]],
            )
        return file._replace(damages=before + len(warnings))

    def _drop_passing_warnings(self, file: int) -> int:
        """Forget warnings that are no longer true once a file was written to; gives their number."""
        where = "WHERE file = ? AND kind IN (?, ?)"
        ((count,),) = self._connection.execute(f"SELECT COUNT(*) FROM warnings {where}", (file, UNFINISHED, EMPTY))
        if count:
            self._connection.execute(f"DELETE FROM warnings {where}", (file, UNFINISHED, EMPTY))
        return int(count)

    def _store_files(self, files: Sequence[TrackedFile]) -> None:
        self._connection.execute_many(
            f"INSERT INTO files ({_FILE_COLUMNS}) VALUES ({marks(_FILE_COLUMNS.split())})"
            " ON CONFLICT (id) DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns,"
            " position = excluded.position, damaged = excluded.damaged, damages = excluded.damages,"
            " mark = excluded.mark, partial = excluded.partial, display_name = excluded.display_name,"
            " inode = excluded.inode, ctime_ns = excluded.ctime_ns, checksum = excluded.checksum,"
            " verified = excluded.verified, first_wall = excluded.first_wall, last_wall = excluded.last_wall,"
            " first_step = excluded.first_step, last_step = excluded.last_step, points = excluded.points",
            [
                (
                    file.id,
                    run_id(file.run),
                    file.name,
                    int(file.dialect),
                    file.rank,
                    file.created_at,
                    file.size,
                    file.mtime_ns,
                    file.position,
                    int(file.damaged),
                    file.damages,
                    file.mark,
                    int(file.is_partial),
                    file.display_name,
                    file.inode,
                    file.ctime_ns,
                    file.checksum,
                    int(file.is_verified),
                    *Pace.unpack(file.pace),
                )
                for file in files
            ],
        )

    def _runs_to_count(
        self, runs: Sequence[str], updates: Sequence[FileUpdate], removed: Sequence[TrackedFile]
    ) -> set[str]:
        """The runs of a commit whose tags have to be counted: few of those that merely grow."""
        series = dict.fromkeys(runs, 0)
        changed, complete = {file.run for file in removed}, set()
        has_new = set(changed)
        for update in updates:
            run, batch = update.file.run, update.batch
            series[run] += len(update.keys)
            if update.file.id == 0 or update.starts_over:
                changed.add(run)
            if batch is not None and (batch.keys or len(batch.blob_numbers)):  # of graphs, records are counted
                has_new.add(run)
            if not update.file.is_partial:
                complete.add(run)
        chosen = set()
        for run in runs:
            before = self._counted.get(run)
            if before is not None and run not in changed:
                if run not in has_new and run not in self._uncounted:
                    continue
                if run not in complete and _MANY_SERIES <= series[run] < _COUNTED_GROWTH * before:
                    self._uncounted.add(run)
                    continue
            chosen.add(run)
            self._counted[run] = series[run]
            self._uncounted.discard(run)
        return chosen

    def _refresh_runs(self, names: Sequence[str], version: int, *, counted: set[str]) -> dict[str, FileTotals]:
        """Bring the rows of some runs up to date with their files and, for `counted` runs, with their series."""
        update = TotalsUpdate(self._connection, map(run_id, names))
        totals: dict[str, FileTotals] = {}
        for chunk in in_chunks(names):
            ids = {run_id(name): name for name in chunk}
            in_chunk = file_totals(self._connection, list(ids))
            totals |= in_chunk
            rows = self._run_rows(ids, in_chunk, version, [run for run, name in ids.items() if name in counted])
            self._connection.execute_many(
                "INSERT INTO runs (id, name, created_at, updated_at, bytes, dialects, counts, lone_tag, version,"
                " display_name, search_name, warnings) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET"
                " created_at = excluded.created_at, updated_at = excluded.updated_at, bytes = excluded.bytes,"
                " dialects = excluded.dialects, counts = excluded.counts, lone_tag = excluded.lone_tag,"
                " version = excluded.version, display_name = excluded.display_name,"
                " search_name = excluded.search_name, warnings = excluded.warnings",
                rows,
            )
            present = {row[0] for row in rows}
            gone = [run for run in ids if run not in present]
            self._connection.execute_many(
                "UPDATE runs SET version = ? WHERE id = (SELECT parent FROM runs AS folded WHERE folded.id = ?)",
                [(version, run) for run in gone],
            )
            self._connection.execute_many("DELETE FROM runs WHERE id = ?", [(run,) for run in gone])
            lineage_rows.forget(self._connection, gone)
            self._connection.execute_many(
                "INSERT INTO removed_runs (id, version) VALUES (?, ?)"
                " ON CONFLICT (id) DO UPDATE SET version = excluded.version",
                [(run, version) for run in gone],
            )
            self._connection.execute_many("DELETE FROM removed_runs WHERE id = ?", [(run,) for run in present])
        update.store(fold(self._connection, version))
        return totals

    def _run_rows(
        self, ids: dict[str, str], totals: dict[str, FileTotals], version: int, counted: Sequence[str]
    ) -> list[Row]:
        dialects = self._dialects(totals)
        display_names = self._display_names([run for run, files in totals.items() if files.display_name])
        counts: dict[str, dict[int, int]] = {}
        one_tag: dict[str, str] = {}
        with_pipeline: set[str] = set()
        for run, kind, count, records, tag, has_pipeline in self._series_counts(counted):
            counts.setdefault(run, {})[kind] = int(records) if kind == Kind.GRAPH else count  # each record is a graph
            one_tag[run] = tag
            if kind == Kind.LINEAGE and has_pipeline:
                with_pipeline.add(run)
        same = self._stored_counts(sorted(ids.keys() - set(counted)))
        rows = []
        for run, files in totals.items():
            kind_counts = counts.get(run, {})
            tag_counts = {name: kind_counts[kind] for kind, name in COUNTED_KINDS.items() if kind in kind_counts}
            if run in with_pipeline:
                tag_counts[PIPELINES] = 1
            if PROFILES in tag_counts:
                tag_counts[PROFILES] = self._recordings(run)
            is_lone = kind_counts == {Kind.SCALAR: 1} and dialects[run] == {"tensorboard"}
            rows.append(
                (
                    run,
                    ids[run],
                    files.created_at,
                    int(files.mtime_ns) / 1e9,
                    int(files.bytes),
                    ",".join(sorted(dialects[run])),
                    *same.get(run, (json.dumps(tag_counts), one_tag[run] if is_lone else None)),
                    version,
                    display_names.get(run, ""),
                    f"{ids[run]} {display_names.get(run, '')}".lower(),
                    int(files.damages),
                )
            )
        return rows

    def _dialects(self, totals: Mapping[str, FileTotals]) -> dict[str, set[str]]:
        """The dialects of each run; files with run states count where there is nothing else."""
        dialects = {run: {DIALECT_NAMES[Dialect(files.first_dialect)]} for run, files in totals.items()}
        mixed = [run for run, files in totals.items() if files.first_dialect != files.last_dialect]
        if mixed:
            for run, dialect in self._connection.execute(
                f"SELECT DISTINCT run, dialect FROM files WHERE run IN ({marks(mixed)})", mixed
            ):
                dialects[run].add(DIALECT_NAMES[Dialect(dialect)])
            for run in mixed:
                dialects[run].discard(DIALECT_NAMES[Dialect.RUN_STATE])
        return dialects

    def _display_names(self, runs: Sequence[str]) -> dict[str, str]:
        """The display names of some runs; that of the file that was begun last wins."""
        if not runs:
            return {}
        rows = self._connection.execute(
            f"SELECT run, display_name FROM files WHERE run IN ({marks(runs)}) AND display_name <> '' ORDER BY name",
            runs,
        )
        return dict(rows)

    def _series_counts(self, runs: Sequence[str]) -> list[Row]:
        """Run, kind, tags, records, first tag, and whether there is a data pipeline (1 or 0), of some runs."""
        if not runs:
            return []
        return self._connection.execute(
            "SELECT run, kind, COUNT(DISTINCT tag), SUM(count), MIN(tag),"
            f" MAX(CASE WHEN tag = '{PIPELINE_TAG}' THEN 1 ELSE 0 END)"
            f" FROM files JOIN series ON series.file = files.id WHERE run IN ({marks(runs)}) GROUP BY run, kind",
            runs,
        )

    def _stored_counts(self, runs: Sequence[str]) -> dict[str, tuple[str, str | None]]:
        """The counts and the lone tag in the rows of some runs."""
        if not runs:
            return {}
        rows = self._connection.execute(f"SELECT id, counts, lone_tag FROM runs WHERE id IN ({marks(runs)})", runs)
        return {run: (counts, lone_tag) for run, counts, lone_tag in rows}

    def _recordings(self, run: str) -> int:
        from mindinsight_like.profiler.traces.sources import sources_of  # not every folder has profiles

        rows = self._connection.execute(
            f"SELECT name FROM files WHERE run = ? AND dialect = {Dialect.PROFILE:d} AND size > 0", (run,)
        )
        return len(sources_of([name for (name,) in rows]))


def _tracked(row: Row, said: WriterState | None) -> TrackedFile:
    file, run, name, dialect, rank, created_at, size, mtime_ns, position, damaged, damages, mark, *rest = row
    partial, title, inode, ctime_ns, checksum, verified, *pace = rest
    return TrackedFile(
        name,
        run,
        Dialect(dialect),
        rank,
        created_at,
        size,
        mtime_ns,
        position,
        bool(damaged),
        damages,
        bytes(mark),
        file,
        bool(partial),
        title,
        inode,
        ctime_ns,
        checksum,
        bool(verified),
        Pace(*pace).pack(),
        said,
    )


def _series_rows(updates: Sequence[FileUpdate], files: Sequence[TrackedFile]) -> list[Row]:
    """Rows of the series in some batches: scalars with their statistics, blobs with their number and reach."""
    batches = [
        (file.id, update.keys, update.batch) for update, file in zip(updates, files, strict=True) if update.batch
    ]
    if not batches:
        return []
    owners: list[tuple[int, SeriesName, bytes | None, int]] = []
    for file, keys, batch in batches:
        for number in (*batch.scalar_numbers.tolist(), *batch.blob_numbers.tolist()):
            owners.append((file, *stored_name(keys[number]), number))
    parts: list[NDArray[Any]] = []
    hidden: list[int] = []
    for _, keys, batch in batches:
        if len(batch.breaks):
            from mindinsight_like.store.series.series_statistics import scalar_statistics

            part, superseded = scalar_statistics(batch)
            parts.append(part)
            hidden += superseded.tolist()
        else:  # nearly all: their steps rise, and thousands of small files are read at once
            parts.append(batch.scalar_stats)
            hidden += [0] * len(batch.scalar_stats)
        if len(batch.blob_numbers):
            from mindinsight_like.store.series.series_statistics import blob_statistics  # many logs have scalars only

            kinds = np.array([keys[number][0] for number in batch.blob_numbers.tolist()], np.uint8)
            part, superseded = blob_statistics(batch, kinds)
            parts.append(part)
            hidden += superseded.tolist()
    # Joined as bytes: numpy would compare the fields of every part with those of the next.
    stats = np.frombuffer(b"".join(part.data for part in parts), STATS)
    columns = [stats[name].tolist() for name in ("count", "first_step", "last_step")]
    columns += [np.where(np.isnan(stats[name]), 0.0, stats[name]).tolist() for name in ("first_wall", "last_wall")]
    columns += [_without_nan(stats[name]) for name in ("min", "max", "last_value")]
    values = zip(*columns, stats["non_finite"].tolist(), hidden, strict=True)
    return [
        (file, int(name.kind), name.tag, name.sub, key, number, *row)
        for (file, name, key, number), row in zip(owners, values, strict=True)
    ]


def _without_nan(column: NDArray[np.float64]) -> list[float | None]:
    """NaN as NULL, which is what one of the two databases would make of it anyway."""
    is_nan = np.isnan(column)
    if not is_nan.any():
        return list(column.tolist())
    values = column.astype(object)
    values[is_nan] = None
    return list(values)
