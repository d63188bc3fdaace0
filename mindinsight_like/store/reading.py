"""Asking the index: the side of the store that web workers, the Python API and commands use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np

from mindinsight_like.errors import NotFound, StillLoading
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.store import segments
from mindinsight_like.store.answers import Curve
from mindinsight_like.store.blobs import (
    BlobBytes,
    BlobFile,
    BlobSeries,
    FoundBlob,
    Reference,
    StoredRecord,
    number_of,
    shown,
)
from mindinsight_like.store.curves import smooth
from mindinsight_like.store.lanes import Lane, lanes, with_restart
from mindinsight_like.store.location import IndexLocation
from mindinsight_like.store.resuming import Part, Points, Range, between_steps, once_each, visible
from mindinsight_like.store.segment_cache import SegmentCache
from mindinsight_like.store.segments import Floats, Ints, Segment
from mindinsight_like.store.series_catalogue import SeriesCatalogue
from mindinsight_like.store.thinning import kept_positions

_CACHE_BYTES = 128 * 1024 * 1024
_COST_OF_MAPPED = 256 * 1024  # a mapped file takes no memory of its own but a file descriptor
_TRIES = 5  # a merge may replace segments between the look into the directory and the look into them

_Answer = TypeVar("_Answer")


class _SegmentGone(Exception):
    """A segment was merged into another since its row was read."""


class IndexReader(SeriesCatalogue):
    """Answers from the index of one base dir: what the catalogues know, and the data itself."""

    def __init__(self, location: IndexLocation, *, cache_bytes: int = _CACHE_BYTES) -> None:
        super().__init__(location)
        self._cache = SegmentCache(cache_bytes)

    @classmethod
    def open(cls, base_dir: Path, workspace: Path, store_url: str | None = None) -> IndexReader:
        return cls(IndexLocation.of(base_dir, workspace, store_url or ""))

    @property
    def base_dir(self) -> Path:
        return self._location.base_dir

    @property
    def folder(self) -> Path:
        """Where the index is; what else can be made again from the logs has its place there, too."""
        return self._location.folder

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

        # Each call of the writers that describe one chart makes a layout of its own, all of them at step 0.
        has_repeats = kind == Kind.CUSTOM_SCALARS

        def answer() -> list[BlobSeries]:
            chosen, held, announced = self._lanes(runs, tags, kind)
            return [
                BlobSeries(
                    run,
                    tag,
                    lane.source,
                    *shown(
                        lane,
                        held,
                        announced,
                        latest=resume == "latest",
                        from_step=from_step,
                        to_step=to_step,
                        has_repeats=has_repeats,
                    ),
                )
                for run, tag, lane in chosen
            ]

        return _tried(answer)

    def records(self, run: str, kinds: Sequence[Kind]) -> list[StoredRecord]:
        """Every record of some kinds in the files of a run, file by file; none hides another."""
        return self.records_of([run], kinds)[run]

    def records_of(self, runs: Sequence[str], kinds: Sequence[Kind]) -> dict[str, list[StoredRecord]]:
        """The same for several runs, by id."""

        def answer() -> dict[str, list[StoredRecord]]:
            with self._loaded().snapshot():
                families = self._known_families(runs)
                owner = {member: run for run, members in families.items() for member in members}
                wanted = ", ".join(str(int(kind)) for kind in kinds)
                rows = self._ask_many(
                    "SELECT run, file, number, kind, tag, name, dialect FROM files JOIN series"
                    f" ON series.file = files.id WHERE run IN ({{}}) AND kind IN ({wanted}) ORDER BY name, number",
                    owner,
                )
                held = self._segments({row[1] for row in rows})
            found: dict[str, list[StoredRecord]] = {run: [] for run in families}
            for member, file, number, kind, tag, name, dialect in rows:
                for segment in held.get(file, ()):
                    if (columns := segment.blobs(number)) is not None:
                        parts = (columns.steps, columns.walls, columns.offsets, columns.lengths)
                        places = zip(*(part.tolist() for part in parts), strict=True)
                        found[owner[member]] += [
                            StoredRecord(Kind(kind), tag, file, name, Dialect(dialect), *row) for row in places
                        ]
            return found

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


def _tried(answer: Callable[[], _Answer]) -> _Answer:
    """The answer, looked for again when segments were replaced while it was made."""
    for _ in range(_TRIES):
        try:
            return answer()
        except _SegmentGone:
            continue
    raise StillLoading("the index is being rearranged; ask again in a moment")


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
