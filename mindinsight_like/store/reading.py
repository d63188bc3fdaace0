"""Asking the index: the side of the store that web workers, the Python API and commands use."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

import numpy as np

from mindinsight_like.errors import NotFound, RunNotFound, StillLoading
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.store import segments
from mindinsight_like.store.answers import (
    Changes,
    Curve,
    Loading,
    LogFile,
    Run,
    ScalarTagOverRuns,
    ScalarTagSummary,
    ServiceState,
    TagSummary,
    Warning,
)
from mindinsight_like.store.blobs import BlobBytes, BlobFile, BlobSeries, FoundBlob, Reference, number_of, shown
from mindinsight_like.store.curves import smooth
from mindinsight_like.store.database import Connection, Row, ThreadConnections, in_chunks, marks, open_database
from mindinsight_like.store.lanes import FileSeries, Lane, SessionStart, lanes, with_restart
from mindinsight_like.store.location import IndexLocation
from mindinsight_like.store.names import COUNTED_KINDS, DIALECT_NAMES, SHOWN_KINDS
from mindinsight_like.store.progress import Progress
from mindinsight_like.store.resuming import Part, Points, Range, between_steps, once_each, visible
from mindinsight_like.store.schema import is_current
from mindinsight_like.store.segment_cache import SegmentCache
from mindinsight_like.store.segments import Floats, Ints, Segment
from mindinsight_like.store.thinning import kept_positions

_CACHE_BYTES = 128 * 1024 * 1024
_COST_OF_MAPPED = 256 * 1024  # a mapped file takes no memory of its own but a file descriptor
_TAGS_IN_SQL = 500
_TRIES = 5  # a merge may replace segments between the look into the directory and the look into them

RUN_ORDERS = {
    "name": "name",
    "created_at": "created_at",
    "updated_at": "updated_at",
    "bytes": "bytes",
    "dialects": "dialects",
    "warnings": "(SELECT COALESCE(SUM(damages), 0) FROM files WHERE files.run = runs.id)",
}


_Answer = TypeVar("_Answer")


class _SegmentGone(Exception):
    """A segment was merged into another since its row was read."""


class IndexReader:
    """Answers from the index of one base dir; any number of threads may ask, before and while a loader writes."""

    def __init__(self, location: IndexLocation, *, cache_bytes: int = _CACHE_BYTES) -> None:
        self._location = location
        self._database = open_database(location)
        self._connections = ThreadConnections(self._database)
        self._cache = SegmentCache(cache_bytes)

    @classmethod
    def open(cls, base_dir: Path, workspace: Path, store_url: str | None = None) -> IndexReader:
        return cls(IndexLocation.of(base_dir, workspace, store_url or ""))

    @property
    def base_dir(self) -> Path:
        return self._location.base_dir

    def _connection(self) -> Connection | None:
        """This thread's connection, or None while there is no index yet."""
        connection = self._connections.held()
        if connection is None and self._database.exists():
            connection = self._connections.get()
            if not is_current(connection):
                self._connections.drop()
                return None
        return connection

    def _ask(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        connection = self._connection()
        return [] if connection is None else connection.execute(sql, [*map(_storable, parameters)])

    def _ask_many(self, sql: str, chosen: Iterable[object], *more: object) -> list[Row]:
        """Rows for any number of chosen keys; `{}` in the statement stands for the list of them."""
        rows: list[Row] = []
        for chunk in in_chunks(list(chosen)):
            rows += self._ask(sql.format(marks(chunk)), [*chunk, *more])
        return rows

    def service(self) -> ServiceState:
        text = self._ask("SELECT value FROM meta WHERE key = 'loading'")
        if not text:
            return ServiceState(self._database.kind, Loading("loading"))
        if text[0][0]:
            return ServiceState(self._database.kind, Loading("loading", **asdict(Progress.from_text(text[0][0]))))
        ((runs, size),) = self._ask("SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM runs WHERE parent IS NULL")
        return ServiceState(self._database.kind, Loading("idle", runs, runs, int(size), int(size)))

    def cursor(self) -> int:
        rows = self._ask("SELECT value FROM meta WHERE key = 'version'")
        return int(rows[0][0]) if rows else 0

    def changes(self, since: int) -> Changes:
        """Runs that changed or went after the commit numbered `since`."""
        cursor = self.cursor()  # asked first: what is committed meanwhile is reported again, not missed
        if cursor < since:
            since = 0  # the index was made anew
        changed = self._ask("SELECT id, parent FROM runs WHERE version > ?", (since,))
        removed = self._ask("SELECT id FROM removed_runs WHERE version > ?", (since,))
        folded = [run for run, parent in changed if parent is not None]
        return Changes(cursor, [run for run, parent in changed if parent is None], [run for (run,) in removed] + folded)

    def runs(
        self,
        *,
        search: str = "",
        sort: str = "name",
        offset: int = 0,
        limit: int | None = None,
        ids: Sequence[str] | None = None,
    ) -> tuple[int, list[Run]]:
        """How many runs match, and those of the asked window; every word of `search` must be in the name."""
        conditions, parameters = ["parent IS NULL"], []
        for word in search.lower().split():
            conditions.append("LOWER(name) LIKE ? ESCAPE '!'")
            parameters.append("%" + word.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%")
        order = RUN_ORDERS[sort.removeprefix("-")] + (" DESC" if sort.startswith("-") else "")
        where = " AND ".join(conditions)
        if ids is not None:
            rows = self._ask_many(f"SELECT {_RUN_COLUMNS} FROM runs WHERE id IN ({{}}) AND parent IS NULL", ids)
            return len(rows), self._runs(rows)
        total = self._ask(f"SELECT COUNT(*) FROM runs WHERE {where}", parameters)
        window = "" if limit is None else f" LIMIT {int(limit)}"
        if offset:
            window = f"{window or ' LIMIT 9223372036854775807'} OFFSET {int(offset)}"
        rows = self._ask(f"SELECT {_RUN_COLUMNS} FROM runs WHERE {where} ORDER BY {order}, name{window}", parameters)
        return int(total[0][0]) if total else 0, self._runs(rows)

    def run(self, run: str) -> Run:
        _, found = self.runs(ids=[run])
        if not found:
            raise RunNotFound(f"there is no run with the id {run!r}", run=run)
        return found[0]

    def _runs(self, rows: Sequence[Row]) -> list[Run]:
        families = self._families([row[0] for row in rows])
        owner = {member: run for run, members in families.items() for member in members}
        counts: dict[str, int] = {}
        warnings: dict[str, list[Warning]] = {}
        damaged = self._ask_many("SELECT run, damages FROM files WHERE run IN ({}) AND damages > 0", owner)
        for member, damages in damaged:
            counts[owner[member]] = counts.get(owner[member], 0) + damages
        found = self._ask_many(
            "SELECT run, name, warnings.position, kind, message FROM files JOIN warnings ON warnings.file = files.id"
            " WHERE run IN ({}) ORDER BY name, warnings.position",
            {member for member, _ in damaged},
        )
        for member, name, position, kind, message in found:
            warnings.setdefault(owner[member], []).append(Warning(name, position, kind, message))
        folded = {run: self._counts(members) for run, members in families.items() if len(members) > 1}
        with_folders = {
            run: (int(size), updated_at)
            for run, size, updated_at in self._ask_many(
                "SELECT parent, SUM(bytes), MAX(updated_at) FROM runs WHERE parent IN ({}) GROUP BY parent", folded
            )
        }
        return [
            Run(
                run,
                name,
                dialects.split(","),
                created_at,
                max(updated_at, with_folders.get(run, (0, 0.0))[1]),
                size + with_folders.get(run, (0, 0.0))[0],
                folded.get(run) or json.loads(tags),
                warnings.get(run, []),
                counts.get(run, 0),
                version,
            )
            for run, name, dialects, created_at, updated_at, size, tags, version in rows
        ]

    def _counts(self, members: Iterable[str]) -> dict[str, int]:
        """How many tags of each kind several folders have together."""
        tags = set(
            self._ask_many(
                "SELECT kind, tag FROM files JOIN series ON series.file = files.id WHERE run IN ({})", members
            )
        )
        counts = Counter(kind for kind, _ in tags)
        return {name: counts[kind] for kind, name in COUNTED_KINDS.items() if counts[kind]}

    def _families(self, runs: Iterable[str]) -> dict[str, dict[str, str]]:
        """For each run the folders shown in it, itself included, with what their curves are called."""
        families: dict[str, dict[str, str]] = {run: {run: ""} for run in runs}
        for run, parent, source in self._ask_many("SELECT id, parent, source FROM runs WHERE parent IN ({})", families):
            families[parent][run] = source
        return families

    def _known_families(self, runs: Sequence[str]) -> dict[str, dict[str, str]]:
        known = {run for (run,) in self._ask_many("SELECT id FROM runs WHERE id IN ({}) AND parent IS NULL", runs)}
        for run in runs:
            if run not in known:
                raise RunNotFound(f"there is no run with the id {run!r}", run=run)
        return self._families(dict.fromkeys(runs))

    def versions(self, runs: Sequence[str]) -> list[int]:
        """A number for each run that grows whenever an answer about it may change; 0 for an unknown one."""
        found: dict[str, int] = dict(self._ask_many("SELECT id, version FROM runs WHERE id IN ({})", runs))
        return [found.get(run, 0) for run in runs]

    def files(self, run: str) -> list[LogFile]:
        (family,) = self._known_families([run]).values()
        rows = self._ask_many("SELECT name, size, position, dialect FROM files WHERE run IN ({}) ORDER BY name", family)
        return [
            LogFile(name, size, position, DIALECT_NAMES[Dialect(dialect)]) for name, size, position, dialect in rows
        ]

    def tags(self, run: str) -> dict[str, list[TagSummary]]:
        """The tags of every kind of data a run has, under the kind's name in the API."""
        found: dict[str, list[TagSummary]] = {name: [] for name in SHOWN_KINDS.values()}
        for (_, kind, tag), rows in sorted(self._series(self._known_families([run]), list(SHOWN_KINDS)).items()):
            found[SHOWN_KINDS[Kind(kind)]].append(_summary(tag, rows))
        return found

    def scalar_tags(self, runs: Sequence[str]) -> list[ScalarTagOverRuns]:
        """Every scalar tag that any of the runs has, by name."""
        by_tag: dict[str, list[FileSeries]] = {}
        families = self._known_families(runs)
        order = {run: place for place, run in enumerate(families)}
        found = self._series(families, [Kind.SCALAR])
        for (_, _, tag), rows in sorted(found.items(), key=lambda item: order[item[0][0]]):
            by_tag.setdefault(tag, []).extend(rows)
        return [
            ScalarTagOverRuns(
                tag,
                list(dict.fromkeys(row.run for row in rows)),
                sum(row.points for row in rows),
                min(row.first_step for row in rows),
                max(row.last_step for row in rows),
                _smallest(rows),
                _largest(rows),
                sum(row.non_finite for row in rows),
            )
            for tag, rows in sorted(by_tag.items())
        ]

    def scalars(
        self,
        runs: Sequence[str],
        tags: Sequence[str],
        *,
        from_step: int | None = None,
        to_step: int | None = None,
        max_points: int | None = 1000,
        resume: str = "latest",
        smoothing: float = 0.0,
    ) -> list[Curve]:
        """The curves of the runs and tags, in that order; max_points None: every point. Steps are inclusive."""
        return _tried(lambda: self._curves(runs, tags, from_step, to_step, max_points, resume == "latest", smoothing))

    def blobs(
        self,
        runs: Sequence[str],
        tags: Sequence[str] | None,
        kind: Kind,
        *,
        from_step: int | None = None,
        to_step: int | None = None,
        resume: str = "latest",
    ) -> list[BlobSeries]:
        """Where the values of one kind of the runs and tags lie, in that order; tags None: all there are, by name."""

        def answer() -> list[BlobSeries]:
            chosen, held, announced = self._lanes(runs, tags, kind)
            return [
                BlobSeries(
                    run,
                    tag,
                    lane.source,
                    *shown(lane, held, announced, latest=resume == "latest", from_step=from_step, to_step=to_step),
                )
                for run, tag, lane in chosen
            ]

        return _tried(answer)

    def blob_bytes(self, files: Iterable[int]) -> BlobBytes:
        """What reads the blobs of some log files, given by the number they have in references."""
        return BlobBytes(self.base_dir, self._blob_files(set(files)))

    def find_blob(self, reference: Reference) -> FoundBlob:
        """What a reference stands for; raises NotFound when the index has no such blob, or no longer."""

        def answer() -> FoundBlob:
            with self._loaded().snapshot():
                files = self._blob_files([reference.file])
                number = number_of(self._segments(files).get(reference.file, ()), reference) if files else None
                if number is None:
                    raise NotFound("there is no such blob, or no longer")
                ((kind, tag),) = self._ask(
                    "SELECT kind, tag FROM series WHERE file = ? AND number = ?", (reference.file, number)
                )
            return FoundBlob(Kind(kind), tag, files[reference.file])

        return _tried(answer)

    def _blob_files(self, files: Iterable[int]) -> dict[int, BlobFile]:
        return {
            file: BlobFile(name, Dialect(dialect), position, bytes(mark))
            for file, name, dialect, position, mark in self._ask_many(
                "SELECT id, name, dialect, position, mark FROM files WHERE id IN ({})", files
            )
        }

    def _loaded(self) -> Connection:
        connection = self._connection()
        if connection is None:
            raise StillLoading("the logs are not loaded yet; ask again in a moment")
        return connection

    def _lanes(
        self, runs: Sequence[str], tags: Sequence[str] | None, kind: Kind
    ) -> tuple[list[tuple[str, str, Lane]], dict[int, list[Segment]], dict[int, int]]:
        """Run, tag and lane in the order asked for, the segments of their files, and where files say they start."""
        with self._loaded().snapshot():
            families = self._known_families(runs)
            found = self._series(families, [kind], tags)
            starts = self._session_starts(families)
            chosen = [
                (run, tag, with_restart(lane, starts.get(run, ())))
                for run in dict.fromkeys(runs)
                for tag in (sorted({tag for _, _, tag in found}) if tags is None else dict.fromkeys(tags))
                for lane in lanes(found.get((run, kind, tag), ()))
            ]
            files = {series.file for _, _, lane in chosen for series in lane.series}
            held = self._segments(files)
        announced = {start.file: start.step for found_here in starts.values() for start in found_here}
        return chosen, held, announced

    def _session_starts(self, families: dict[str, dict[str, str]]) -> dict[str, list[SessionStart]]:
        """Where files of some runs say that training was taken up again, by run."""
        owner = {member: run for run, members in families.items() for member in members}
        starts: dict[str, list[SessionStart]] = {}
        for member, *start in self._ask_many(
            "SELECT files.run, files.id, files.name, first_step, first_wall FROM files JOIN series"
            f" ON series.file = files.id WHERE files.run IN ({{}}) AND kind = {Kind.SESSION:d} AND tag = 'start'",
            owner,
        ):
            starts.setdefault(owner[member], []).append(SessionStart(*start))
        return starts

    def _curves(
        self,
        runs: Sequence[str],
        tags: Sequence[str],
        from_step: int | None,
        to_step: int | None,
        max_points: int | None,
        latest: bool,
        smoothing: float,
    ) -> list[Curve]:
        chosen, held, announced = self._lanes(runs, tags, Kind.SCALAR)
        curves = []
        for run, tag, lane in chosen:
            points = Points(_parts(lane, held, announced))
            whole = visible(points, latest=latest, restarts_at=lane.restarts_at)
            ranges = between_steps(points, whole, from_step, to_step)
            total = sum(high - low for low, high in ranges)
            has_odd = any(series.non_finite for series in lane.series)
            most = total if max_points is None else max_points
            kept = kept_positions(points, ranges, most=most, has_odd=has_odd)
            steps, walls, values = points.take(kept)
            curves.append(
                Curve(
                    run=run,
                    tag=tag,
                    source=lane.source,
                    total_points=total,
                    thinned=len(kept) < total,
                    steps=steps,
                    wall_times=walls,
                    values=values,
                    smoothed=_smoothed(points, whole, kept, smoothing) if smoothing > 0 else None,
                    segments=sorted({int(at) for at in np.searchsorted(kept, [low for low, _ in ranges])}),
                    start_time=float(points.take(np.array([whole[0][0]]))[1][0]) if whole else 0.0,
                )
            )
        return curves

    def _series(
        self, families: dict[str, dict[str, str]], kinds: Sequence[int], tags: Sequence[str] | None = None
    ) -> dict[tuple[str, int, str], list[FileSeries]]:
        """The series of some runs by run, kind and tag."""
        if tags is not None and not tags:
            return {}
        owner = {member: (run, source) for run, members in families.items() for member, source in members.items()}
        files = {
            file: (*owner[member], file, name, rank, dialect in _RANKED)
            for file, member, name, rank, dialect in self._ask_many(
                "SELECT id, run, name, rank, dialect FROM files WHERE run IN ({})", owner
            )
        }
        condition, parameters = f"kind IN ({marks(kinds)})", list[object](kinds)
        if tags is not None and len(tags) <= _TAGS_IN_SQL:
            condition, parameters = f"{condition} AND tag IN ({marks(tags)})", [*parameters, *tags]
        rows = self._ask_many(
            "SELECT file, kind, tag, sub, number, count, first_step, last_step, first_wall, last_wall, min, max,"
            f" last_value, non_finite FROM series WHERE file IN ({{}}) AND {condition}",
            files,
            *parameters,
        )
        found: dict[tuple[str, int, str], list[FileSeries]] = {}
        for row in rows:
            series = FileSeries(*files[row[0]], *row[1:])
            found.setdefault((series.run, series.kind, series.tag), []).append(series)
        return found

    def _segments(self, files: Iterable[int]) -> dict[int, list[Segment]]:
        """The segments of some log files in file order, from the cache where they are there."""
        rows = self._ask_many("SELECT id, file, data IS NULL FROM segments WHERE file IN ({}) ORDER BY place", files)
        # Kept hold of at once: a cache that is too small for all of them drops some while others are put into it.
        found = {segment: columns for segment, _, _ in rows if (columns := self._cache.get(segment)) is not None}
        inline = [segment for segment, _, is_file in rows if not is_file and segment not in found]
        for segment, data in self._ask_many("SELECT id, data FROM segments WHERE id IN ({})", inline):
            found[segment] = segments.decode(bytes(data))
            self._cache.put(segment, found[segment], len(data))
        held: dict[int, list[Segment]] = {}
        for segment, file, _ in rows:
            columns = found[segment] if segment in found else self._map(segment)
            held.setdefault(file, []).append(columns)
        return held

    def _map(self, segment: int) -> Segment:
        try:
            columns = segments.decode(segments.map_file(self._location.segments / str(segment)))
        except (FileNotFoundError, segments.BadSegment) as error:
            raise _SegmentGone from error
        self._cache.put(segment, columns, _COST_OF_MAPPED)
        return columns


_RUN_COLUMNS = "id, name, dialects, created_at, updated_at, bytes, counts, version"
_RANKED = (Dialect.MINDSPORE, Dialect.MINDSPORE_LINEAGE)


def _tried(answer: Callable[[], _Answer]) -> _Answer:
    """The answer, looked for again when segments were replaced while it was made."""
    for _ in range(_TRIES):
        try:
            return answer()
        except _SegmentGone:
            continue
    raise StillLoading("the index is being rearranged; ask again in a moment")


def _storable(parameter: object) -> object:
    """A parameter as databases take it; text that none can hold becomes other text, which is not found."""
    if not isinstance(parameter, str) or (parameter.isascii() and "\0" not in parameter):
        return parameter
    return parameter.encode(errors="surrogatepass").decode(errors="replace").replace("\0", "\ufffd")


def _summary(tag: str, rows: Sequence[FileSeries]) -> TagSummary:
    count = sum(row.points for row in rows)
    first, last = min(row.first_step for row in rows), max(row.last_step for row in rows)
    if rows[0].kind != Kind.SCALAR:
        return TagSummary(tag, count, first, last)
    newest = max(rows, key=lambda row: (row.last_wall, row.file_name)).last_value
    return ScalarTagSummary(
        tag,
        count,
        first,
        last,
        _smallest(rows),
        _largest(rows),
        float("nan") if newest is None else newest,
        sum(row.non_finite for row in rows),
        [lane.source for lane in lanes(rows)],
    )


def _smallest(rows: Sequence[FileSeries]) -> float | None:
    return min((row.min for row in rows if row.min is not None), default=None)


def _largest(rows: Sequence[FileSeries]) -> float | None:
    return max((row.max for row in rows if row.max is not None), default=None)


def _parts(lane: Lane, held: dict[int, list[Segment]], announced: dict[int, int]) -> list[Part]:
    parts: list[Part] = []
    for place, series in enumerate(lane.series):
        # A start that the first file announces has nothing before it to overwrite.
        start = announced.get(series.file) if place else None
        found = [segment.scalars(series.number) for segment in held.get(series.file, ())]
        for columns in once_each([columns for columns in found if columns is not None]):
            parts.append(Part(columns, start))
            start = None
    return parts


def _smoothed(points: Points, whole: Sequence[Range], kept: Ints, weight: float) -> Floats:
    """The smoothed curve, computed over all its shown points, at the kept ones."""
    curve = smooth(points.values(whole), weight)
    begins = np.array([low for low, _ in whole])
    places = np.concatenate(([0], np.cumsum([high - low for low, high in whole])))
    stretch = np.searchsorted(begins, kept, "right") - 1
    return np.asarray(curve[kept - begins[stretch] + places[stretch]])
