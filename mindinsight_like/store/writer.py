"""Write side of the index, used by the loader.

There is one writer per index. What was read from a log file and the position up to which it was read are
committed in one transaction; large segments are written to files of their own before it, and files that no committed
row names are leftovers of a killed loader and are deleted when the index is opened.

`commit` is the transaction; `store/rows/` has the statements for each table.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import time
from collections.abc import Callable, Iterable, Sequence

from mindinsight_like.logs.batch import Batch
from mindinsight_like.logs.kinds import Kind, series_key
from mindinsight_like.store import run_states
from mindinsight_like.store.database import versions
from mindinsight_like.store.database.database import DamagedDatabase, Row, in_chunks, marks, open_database
from mindinsight_like.store.database.location import IndexLocation, run_id
from mindinsight_like.store.database.schema import RUN_INDEXES, is_current, prepare
from mindinsight_like.store.files import PASSING, FileUpdate, TrackedFile
from mindinsight_like.store.progress import Progress
from mindinsight_like.store.repairs import Repairs
from mindinsight_like.store.rows import document_rows, lineage_rows, tracker_rows
from mindinsight_like.store.rows.file_rows import store_files, tracked_files
from mindinsight_like.store.rows.lineage_rows import LineageRow
from mindinsight_like.store.rows.run_summaries import RunSummaries
from mindinsight_like.store.rows.series_rows import add_series
from mindinsight_like.store.run_status import STALLED_AFTER_SECONDS
from mindinsight_like.store.segments import segments
from mindinsight_like.store.segments.leftovers import drop_leftovers
from mindinsight_like.store.segments.merging import merge_start
from mindinsight_like.store.segments.sealing import BrokenSeal, Buffer, seal

log = logging.getLogger(__name__)

INLINE_BYTES = 128 * 1024  # smaller segments are kept in the database
WARNINGS_KEPT = 100  # per file; the rest is counted
SETTLED_POINTS = 100_000  # of series whose steps go back: statistics of more than these are left to those who ask


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
        self._run_summaries = RunSummaries(self._connection)

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
        lost = drop_leftovers(self._connection, self._location.segments)
        if lost:
            log.warning(
                "segments of %d log files are lost, probably in a power cut; reading the files again", len(lost)
            )
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
        return tracked_files(self._connection)

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
            store_files(self._connection, [file])
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

    def said(self, file: TrackedFile) -> bytes:
        """The lineage document of a tracker's log; empty when there is none."""
        return tracker_rows.lineage(self._connection, file)

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
                if update.documents:
                    documents = (update.documents, file.document_bytes)
                    if not document_rows.add(self._connection, file.id, *documents, next_id, self._write_buffers):
                        self.repairs.request_file(file.id)
                    next_id += 1
                tracked.append(self._store_warnings(file, update))
            self._connection.execute_many(_ADD_SEGMENT, stored)
            add_series(self._connection, updates, tracked)
            self._settle(updates, tracked)
            store_files(self._connection, tracked)
            tracker_rows.store_lineage(self._connection, updates, tracked)
            run_states.put(
                self._connection,
                [(file.id, file.writer_state) for file in tracked if file.dialect in run_states.DIALECTS],
            )
            for file in removed:
                dropped += self._forget_contents(file.id)
                if file.dialect in run_states.DIALECTS:
                    run_states.put(self._connection, [(file.id, None)])
                tracker_rows.forget(self._connection, file)
                self._connection.execute("DELETE FROM files WHERE id = ?", (file.id,))
            lineage_rows.mark_stale(self._connection, with_lineage, version)
            seen = [update for update in updates if update.starts_over or not update.file.is_store or update.troubles]
            runs = sorted({file.run for file in (*(update.file for update in seen), *removed)})
            counted = self._run_summaries.to_count(runs, seen, removed)
            totals = self._run_summaries.refresh(runs, version, counted=counted)
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
        self._write_buffers(segment, buffers)
        return segment, file, place, points, size, None

    def _write_buffers(self, number: int, buffers: Sequence[Buffer]) -> None:
        with (self._location.segments / str(number)).open("wb", buffering=0) as out:
            for buffer in buffers:
                view = memoryview(buffer)
                while view:  # a raw write may stop early, at two gigabytes at the latest
                    view = view[out.write(view) :]

    def _forget_contents(self, file: int) -> list[int]:
        """Drop all that was read from a file; gives the segment files to delete once this is committed."""
        rows = self._connection.execute(
            "SELECT id FROM segments WHERE file = ? AND data IS NULL"
            " UNION ALL SELECT id FROM documents WHERE file = ? AND data IS NULL",
            (file, file),
        )
        for table in ("segments", "series", "warnings", "documents"):
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
        where, chosen = f"WHERE file = ? AND kind IN ({marks(PASSING)})", (file, *PASSING)
        ((count,),) = self._connection.execute(f"SELECT COUNT(*) FROM warnings {where}", chosen)
        if count:
            self._connection.execute(f"DELETE FROM warnings {where}", chosen)
        return int(count)
