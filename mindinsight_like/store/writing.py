"""Writing the index: the loader's side of the store.

There is one writer per index. What was read from a log file and the position up to which it was read are
committed in one transaction; large segments are written to files of their own before it, and files that no committed
row names are leftovers of a killed loader and are deleted when the index is opened.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.batch import STATS, Batch
from mindinsight_like.logs.kinds import Dialect, Kind, SeriesName, series_key
from mindinsight_like.store import lineage_rows, segments
from mindinsight_like.store.database import DamagedDatabase, Row, in_chunks, marks, open_database
from mindinsight_like.store.files import FileUpdate, TrackedFile
from mindinsight_like.store.folding import fold
from mindinsight_like.store.lineage_rows import LineageRow
from mindinsight_like.store.location import IndexLocation, run_id
from mindinsight_like.store.merging import merge_start
from mindinsight_like.store.names import COUNTED_KINDS, DIALECT_NAMES, PIPELINE_TAG, PIPELINES, PROFILES, stored_name
from mindinsight_like.store.progress import Progress
from mindinsight_like.store.repeats import repeating, statistics
from mindinsight_like.store.schema import is_current, prepare

log = logging.getLogger(__name__)

INLINE_BYTES = 128 * 1024  # smaller segments are kept in the database
WARNINGS_KEPT = 100  # per file; the rest is counted

_FILE_COLUMNS = "id, run, name, dialect, rank, created_at, size, mtime_ns, position, damaged, damages, mark"
_SMALLER = "CASE WHEN series.min IS NULL OR excluded.min < series.min THEN excluded.min ELSE series.min END"
_LARGER = "CASE WHEN series.max IS NULL OR excluded.max > series.max THEN excluded.max ELSE series.max END"
_ADD_SERIES = f"""
INSERT INTO series (file, kind, tag, sub, key, number, count, first_step, last_step, first_wall, last_wall,
                    min, max, last_value, non_finite)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (file, number) DO UPDATE SET
    count = series.count + excluded.count
          - CASE WHEN series.kind = {Kind.SCALAR:d} AND series.last_step = excluded.first_step THEN 1 ELSE 0 END,
    last_step = excluded.last_step,
    last_wall = CASE WHEN excluded.last_wall > series.last_wall THEN excluded.last_wall ELSE series.last_wall END,
    min = CASE WHEN excluded.min IS NULL THEN series.min ELSE {_SMALLER} END,
    max = CASE WHEN excluded.max IS NULL THEN series.max ELSE {_LARGER} END,
    last_value = excluded.last_value,
    non_finite = series.non_finite + excluded.non_finite
"""
_ADD_SEGMENT = "INSERT INTO segments (id, file, place, points, bytes, data) VALUES (?, ?, ?, ?, ?, ?)"


class IndexWriter:
    """The one writer of an index; whoever opens it must hold the index's lock."""

    def __init__(self, location: IndexLocation) -> None:
        self._location = location
        location.segments.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._database = open_database(location.database)
        try:
            self._connection = self._database.connect(write=True)
            if not is_current(self._connection):
                self._connection.close()
                self._start_empty()
            self._drop_leftovers()
        except DamagedDatabase as error:
            log.warning("the index is damaged, reading all logs again: %s", error)
            self._start_empty()

    def _start_empty(self) -> None:
        self._database.erase()
        shutil.rmtree(self._location.segments)
        self._location.segments.mkdir(mode=0o700)
        self._connection = self._database.connect(write=True)
        prepare(self._database, self._connection)

    def _drop_leftovers(self) -> None:
        """Delete segment files without a row; read log files again whose segment file is missing or cut short."""
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
            dropped: list[int] = []
            with self._connection.transaction():
                for file in lost:
                    dropped += self._forget_contents(file)
                    self._connection.execute(
                        "UPDATE files SET position = 0, damaged = 0, damages = 0, mtime_ns = 0, mark = ? WHERE id = ?",
                        (b"", file),
                    )
            self._unlink(dropped)

    def close(self) -> None:
        self._connection.close()

    def files(self) -> dict[str, TrackedFile]:
        """Every log file the index knows, by name."""
        rows = self._connection.execute(
            "SELECT files.id, runs.name, files.name, dialect, rank, files.created_at, size, mtime_ns, position,"
            " damaged, damages, mark FROM files JOIN runs ON runs.id = files.run"
        )
        return {row[2]: _tracked(row) for row in rows}

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
            repeats = self._repeats(updates)
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
            self._correct(repeats)
            self._store_files(tracked)
            for file in removed:
                dropped += self._forget_contents(file.id)
                self._connection.execute("DELETE FROM files WHERE id = ?", (file.id,))
            lineage_rows.mark_stale(self._connection, with_lineage, version)
            self._refresh_runs(sorted({file.run for file in (*tracked, *removed)}), version)
            self._set_counters(version, next_id)
            if progress is not None:
                self._store_progress(progress.to_text())
        self._unlink(dropped)
        return tracked

    def _repeats(self, updates: Iterable[FileUpdate]) -> list[tuple[int, list[int]]]:
        """The series of each file that go on with the very step that was stored last."""
        found = []
        for update in updates:
            batch = update.batch
            if batch is None or update.starts_over or len(update.keys) == len(batch.keys) or not len(batch.steps):
                continue  # nothing was stored before, or nothing comes
            last_steps: dict[int, int] = dict(
                self._connection.execute(
                    f"SELECT number, last_step FROM series WHERE file = ? AND kind = {Kind.SCALAR:d}", (update.file.id,)
                )
            )
            numbers = repeating(last_steps, batch)
            if numbers:
                found.append((update.file.id, numbers))
        return found

    def _correct(self, repeats: Iterable[tuple[int, list[int]]]) -> None:
        for file, numbers in repeats:
            rows = self._connection.execute("SELECT id, data FROM segments WHERE file = ? ORDER BY place", (file,))
            held = [self._segment(segment, data) for segment, data in rows]
            self._connection.execute_many(
                "UPDATE series SET min = ?, max = ?, non_finite = ?, first_wall = ?, last_wall = ?"
                " WHERE file = ? AND number = ?",
                [(*statistics(held, number), file, number) for number in numbers],
            )

    def _segment(self, segment: int, data: bytes | None) -> segments.Segment:
        path = self._location.segments / str(segment)
        return segments.decode(segments.map_file(path) if data is None else bytes(data))

    def merge_small(self, files: Iterable[TrackedFile]) -> None:
        """Make few segments of many in files that were read in small pieces."""
        for file in files:
            rows = self._connection.execute(
                "SELECT id, place, points FROM segments WHERE file = ? ORDER BY place", (file.id,)
            )
            start = merge_start([points for _, _, points in rows])
            if start is not None:
                self._merge(file.id, [segment for segment, _, _ in rows[start:]], place=rows[start][1])

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
            self._set_counters(version, next_id)

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
        self._connection.execute_many(
            "UPDATE meta SET value = ? WHERE key = ?", [(str(version), "version"), (str(next_id), "next_id")]
        )

    def _write_segment(self, segment: int, file: int, place: int, part: Batch | segments.Segment) -> Row:
        buffers = segments.encode(part)
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
        if not damage and not update.troubles and not update.starts_over:
            return file
        found = [(trouble.position, trouble.kind, trouble.message) for trouble in update.troubles]
        found += [(each.offset, each.kind, each.message) for each in damage]
        before = 0 if update.starts_over else file.damages
        room = max(0, WARNINGS_KEPT - before)
        if found and room:
            self._connection.execute_many(
                "INSERT INTO warnings (file, position, kind, message) VALUES (?, ?, ?, ?)",
                [(file.id, *each) for each in found[:room]],
            )
        return file._replace(damages=before + len(found))

    def _store_files(self, files: Sequence[TrackedFile]) -> None:
        self._connection.execute_many(
            f"INSERT INTO files ({_FILE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns,"
            " position = excluded.position, damaged = excluded.damaged, damages = excluded.damages,"
            " mark = excluded.mark",
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
                )
                for file in files
            ],
        )

    def _refresh_runs(self, names: Sequence[str], version: int) -> None:
        """Bring the rows of some runs up to date with their files and series."""
        for chunk in in_chunks(names):
            ids = {run_id(name): name for name in chunk}
            rows = self._run_rows(ids, version)
            self._connection.execute_many(
                "INSERT INTO runs (id, name, created_at, updated_at, bytes, dialects, counts, lone_tag, version)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                " created_at = excluded.created_at, updated_at = excluded.updated_at, bytes = excluded.bytes,"
                " dialects = excluded.dialects, counts = excluded.counts, lone_tag = excluded.lone_tag,"
                " version = excluded.version",
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
        fold(self._connection, version)

    def _run_rows(self, ids: dict[str, str], version: int) -> list[Row]:
        chosen, parameters = f"({marks(list(ids))})", list(ids)
        totals = self._connection.execute(
            "SELECT run, MIN(COALESCE(created_at, mtime_ns / 1e9)), MAX(mtime_ns), SUM(size)"
            f" FROM files WHERE run IN {chosen} GROUP BY run",
            parameters,
        )
        dialects: dict[str, set[str]] = {}
        for run, dialect in self._connection.execute(
            f"SELECT DISTINCT run, dialect FROM files WHERE run IN {chosen}", parameters
        ):
            dialects.setdefault(run, set()).add(DIALECT_NAMES[Dialect(dialect)])
        counts: dict[str, dict[int, int]] = {}
        one_tag: dict[str, str] = {}
        with_pipeline: set[str] = set()
        for run, kind, count, tag, has_pipeline in self._connection.execute(
            f"SELECT run, kind, COUNT(DISTINCT tag), MIN(tag), MAX(CASE WHEN tag = '{PIPELINE_TAG}' THEN 1 ELSE 0 END)"
            f" FROM files JOIN series ON series.file = files.id WHERE run IN {chosen} GROUP BY run, kind",
            parameters,
        ):
            counts.setdefault(run, {})[kind] = count
            one_tag[run] = tag
            if kind == Kind.LINEAGE and has_pipeline:
                with_pipeline.add(run)
        rows = []
        for run, created_at, mtime_ns, size in totals:
            found = counts.get(run, {})
            shown = {name: found[kind] for kind, name in COUNTED_KINDS.items() if kind in found}
            if run in with_pipeline:
                shown[PIPELINES] = 1
            if PROFILES in shown:
                shown[PROFILES] = self._recordings(run)
            is_lone = found == {Kind.SCALAR: 1} and dialects[run] == {"tensorboard"}
            rows.append(
                (
                    run,
                    ids[run],
                    created_at,
                    int(mtime_ns) / 1e9,
                    int(size),
                    ",".join(sorted(dialects[run])),
                    json.dumps(shown),
                    one_tag[run] if is_lone else None,
                    version,
                )
            )
        return rows

    def _recordings(self, run: str) -> int:
        from mindinsight_like.profiler.traces.sources import sources_of  # not every folder has profiles

        rows = self._connection.execute(
            f"SELECT name FROM files WHERE run = ? AND dialect = {Dialect.PROFILE:d} AND size > 0", (run,)
        )
        return len(sources_of([name for (name,) in rows]))


def _tracked(row: Row) -> TrackedFile:
    file, run, name, dialect, rank, created_at, size, mtime_ns, position, damaged, damages, mark = row
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
    )


def _series_rows(updates: Sequence[FileUpdate], files: Sequence[TrackedFile]) -> list[Row]:
    """Rows of the series in some batches: scalars with their statistics, blobs with their number and reach."""
    held = [(file.id, update.keys, update.batch) for update, file in zip(updates, files, strict=True) if update.batch]
    if not held:
        return []
    owners: list[tuple[int, SeriesName, bytes | None, int]] = []
    for file, keys, batch in held:
        for number in (*batch.scalar_numbers.tolist(), *batch.blob_numbers.tolist()):
            owners.append((file, *stored_name(keys[number]), number))
    parts = [part for _, _, batch in held for part in (batch.scalar_stats, _blob_stats(batch))]
    # Joined as bytes: numpy would compare the fields of every part with those of the next.
    stats = np.frombuffer(b"".join(part.data for part in parts), STATS)
    columns = [stats[name].tolist() for name in ("count", "first_step", "last_step")]
    columns += [np.where(np.isnan(stats[name]), 0.0, stats[name]).tolist() for name in ("first_wall", "last_wall")]
    columns += [_without_nan(stats[name]) for name in ("min", "max", "last_value")]
    values = zip(*columns, stats["non_finite"].tolist(), strict=True)
    return [
        (file, int(name.kind), name.tag, name.sub, key, number, *row)
        for (file, name, key, number), row in zip(owners, values, strict=True)
    ]


def _blob_stats(batch: Batch) -> NDArray[Any]:
    """Count and reach of each blob series; what only scalars have is NaN or zero."""
    stats = np.zeros(len(batch.blob_numbers), STATS)
    if len(stats):
        starts, ends = batch.blob_starts[:-1], batch.blob_starts[1:]
        stats["count"] = ends - starts
        stats["first_step"], stats["last_step"] = batch.blob_steps[starts], batch.blob_steps[ends - 1]
        stats["first_wall"] = batch.blob_walls[starts]
        stats["last_wall"] = np.fmax.reduceat(batch.blob_walls, starts)
        for name in ("min", "max", "last_value"):
            stats[name] = np.nan
    return stats


def _without_nan(column: NDArray[np.float64]) -> list[float | None]:
    """NaN as NULL, which is what one of the two databases would make of it anyway."""
    is_nan = np.isnan(column)
    if not is_nan.any():
        return list(column.tolist())
    found = column.astype(object)
    found[is_nan] = None
    return list(found)
