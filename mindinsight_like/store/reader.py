"""Read side of the index, used by web workers, the Python API and commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mindinsight_like.errors import NotFound
from mindinsight_like.logs.batch import NOWHERE
from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.store.blobs import (
    BlobBytes,
    BlobFile,
    BlobSeries,
    FoundBlob,
    Reference,
    StoredRecord,
    place_of,
    references,
)
from mindinsight_like.store.database.connections import IndexConnection
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.documents import DocumentAccess
from mindinsight_like.store.names import WITHOUT_STEPS
from mindinsight_like.store.result_types import Curve, ServiceState
from mindinsight_like.store.run_catalogue import RunCatalogue
from mindinsight_like.store.segments.curves import smooth
from mindinsight_like.store.segments.downsampling import downsample
from mindinsight_like.store.segments.sealed_segments import wholly_verified
from mindinsight_like.store.segments.segment_access import CACHE_BYTES, SegmentAccess
from mindinsight_like.store.segments.segments import Floats, Ints, Segment
from mindinsight_like.store.series.curve_view import View, default_view, full_view
from mindinsight_like.store.series.points import Points
from mindinsight_like.store.series.scalar_ends import ScalarEndCatalogue
from mindinsight_like.store.series.series_catalogue import SeriesCatalogue, lane_points
from mindinsight_like.store.series.tag_names import TagNames
from mindinsight_like.store.series.writer_streams import Lane
from mindinsight_like.store.service_state import read_service_state


class _TagLane(NamedTuple):
    run: str
    tag: str
    lane: Lane
    segments: dict[int, list[Segment]]  # by file, those of all lanes


class IndexReader:
    """Answers from the index of one base dir: its catalogues, and the data itself.

    Any number of threads may use one, before and while a loader writes.
    """

    def __init__(self, location: IndexLocation, *, cache_bytes: int = CACHE_BYTES) -> None:
        self.location = location
        self.connection = IndexConnection(location)
        self._segments = SegmentAccess(self.connection, cache_bytes=cache_bytes)
        self._documents = DocumentAccess(self.connection)
        self.runs = RunCatalogue(self.connection)
        self.tag_names = TagNames(self.connection, self.runs)
        self.series = SeriesCatalogue(self.connection, self.runs, self.tag_names, self._segments)
        self.scalar_ends = ScalarEndCatalogue(self.connection, self.runs, self.series)

    @classmethod
    def open(cls, base_dir: Path, workspace: Path, store_url: str | None = None) -> IndexReader:
        return cls(IndexLocation.of(base_dir, workspace, store_url or ""))

    @property
    def base_dir(self) -> Path:
        return self.location.base_dir

    @property
    def folder(self) -> Path:
        """Where the index is; what else can be made again from the logs has its place there, too."""
        return self.location.folder

    def check(self) -> None:
        """Raise unless the index can be read: StillLoading while there is none, or what is wrong with it."""
        self.connection.check()

    def service(self) -> ServiceState:
        """How far loading is and which kinds of data there are."""
        return read_service_state(self.connection)

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
        return self._segments.retry(
            lambda: self._curves(runs, tags, from_step, to_step, max_points, resume == "latest", smoothing)
        )

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
            series = []
            for run, tag, lane, segments in self._lanes(runs, tags, kind):
                points = lane_points(lane, segments)
                visible = default_view(points)
                superseded = visible.superseded
                if resume != "latest" or kind in WITHOUT_STEPS:
                    visible = full_view(points)
                view, _ = visible.between(from_step, to_step)
                positions = view.positions()
                columns = points.steps(positions), points.walls(positions), references(lane, segments)[positions]
                series.append(BlobSeries(run, tag, lane.source, *columns, superseded))
            return series

        return self._segments.retry(answer)

    def records(self, run: str, kinds: Sequence[Kind]) -> list[StoredRecord]:
        """Every record of some kinds in the files of a run, file by file; none hides another."""
        return self.records_of([run], kinds)[run]

    def records_of(self, runs: Sequence[str], kinds: Sequence[Kind]) -> dict[str, list[StoredRecord]]:
        """The same for several runs, by id."""

        def answer() -> dict[str, list[StoredRecord]]:
            with self.connection.loaded().snapshot():
                families = self.runs.known_families(runs)
                owner = {member: run for run, members in families.items() for member in members}
                kind_list = ", ".join(str(int(kind)) for kind in kinds)
                rows = self.connection.query_many(
                    "SELECT run, file, number, kind, tag, name, dialect FROM files JOIN series"
                    f" ON series.file = files.id WHERE run IN ({{}}) AND kind IN ({kind_list}) ORDER BY name, number",
                    owner,
                )
                segments = self._segments.read({row[1] for row in rows})
            records: dict[str, list[StoredRecord]] = {run: [] for run in families}
            for member, file, number, kind, tag, name, dialect in rows:
                for segment in segments.get(file, ()):
                    if (columns := segment.blobs(number)) is not None:
                        parts = (columns.steps, columns.walls, columns.offsets, columns.lengths)
                        places = zip(*(part.tolist() for part in parts), strict=True)
                        records[owner[member]] += [
                            StoredRecord(Kind(kind), tag, file, name, Dialect(dialect), *row) for row in places
                        ]
            return records

        return self._segments.retry(answer)

    def tracker_lineage(self, files: Iterable[int]) -> dict[int, bytes]:
        """The lineage documents of those of some log files that are trackers'."""
        rows = self.connection.query_many(
            "SELECT file, lineage FROM tracker_logs WHERE lineage IS NOT NULL AND file IN ({})", set(files)
        )
        return {file: bytes(document) for file, document in rows}

    def blob_bytes(self, files: Iterable[int]) -> BlobBytes:
        """What reads the blobs of some log files, given by the number they have in references."""
        return BlobBytes(self.location.dirs, self._blob_files(set(files)), self._documents.read)

    def find_blob(self, reference: Reference) -> FoundBlob:
        """What a reference stands for; raises NotFound when the index has no such blob, or no longer."""

        def answer() -> FoundBlob:
            with self.connection.loaded().snapshot():
                files = self._blob_files([reference.file])
                segments = [wholly_verified(segment) for segment in self._segments.read(files).get(reference.file, ())]
                place = place_of(segments, reference)
                if place is None:
                    raise NotFound("blob not found")
                ((kind, tag),) = self.connection.query(
                    "SELECT kind, tag FROM series WHERE file = ? AND number = ?", (reference.file, place.number)
                )
            return FoundBlob(Kind(kind), tag, place.step, files[reference.file])

        return self._segments.retry(answer)

    def _blob_files(self, files: Iterable[int]) -> dict[int, BlobFile]:
        return {
            file: BlobFile(name, Dialect(dialect), position, bytes(mark), *state)
            for file, name, dialect, position, mark, *state in self.connection.query_many(
                "SELECT id, name, dialect, position, mark, size, inode, ctime_ns, checksum FROM files WHERE id IN ({})",
                files,
            )
        }

    def _lanes(self, runs: Sequence[str], tags: Sequence[str] | None, kind: Kind) -> list[_TagLane]:
        """Lanes in the order of the given runs and tags."""
        with self.connection.loaded().snapshot():
            families = self.runs.known_families(runs)
            tag_lanes = self.series.tag_lanes(families, [kind], tags)
            chosen = [
                (run, tag, lane)
                for run in dict.fromkeys(runs)
                for tag in (sorted({tag for _, _, tag in tag_lanes}) if tags is None else dict.fromkeys(tags))
                for lane in tag_lanes.get((run, kind, tag), ())
            ]
            segments = self._segments.read({series.file for _, _, lane in chosen for series in lane.series})
        return [_TagLane(*each, segments) for each in chosen]

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
        curves = []
        for run, tag, lane, segments in self._lanes(runs, tags, Kind.SCALAR):
            points = lane_points(lane, segments)
            whole = default_view(points)
            superseded, has_steps = whole.superseded, whole.has_steps
            if not latest:
                whole = full_view(points)
            view, starts = whole.between(from_step, to_step)
            total = len(view)
            most = total if max_points is None else max_points
            places = downsample(view, most=most, has_odd=total > most and _has_odd(lane, points))
            steps, walls, values = points.take(view.positions(places))
            curves.append(
                Curve(
                    run=run,
                    tag=tag,
                    source=lane.source,
                    total_points=total,
                    superseded=superseded,
                    has_steps=has_steps,
                    downsampled=len(places) < total,
                    steps=steps,
                    wall_times=walls,
                    values=values,
                    smoothed=_smoothed(whole, view, starts, places, smoothing) if smoothing > 0 else None,
                    segments=_segment_starts(view, places, latest=latest),
                    start_time=whole.start_time,
                )
            )
        return curves


def _has_odd(lane: Lane, points: Points) -> bool:
    """Whether any point of a curve, shown or not, may be NaN or infinite."""
    if all(series.superseded == 0 for series in lane.series):
        return any(series.non_finite for series in lane.series)
    return any(bool((part.columns.blocks["odd_at"] != NOWHERE).any()) for part in points.parts)


def _segment_starts(view: View, places: Ints, *, latest: bool) -> list[int]:
    """Where in the kept points each stretch begins; the default view is a single one."""
    if not len(places):
        return []
    return [0] if latest else np.unique(np.searchsorted(places, view.starts[:-1])).tolist()


def _smoothed(whole: View, view: View, starts: Ints, places: Ints, weight: float) -> Floats:
    """The smoothed curve, computed over all its shown points, at the kept ones; `starts`: see `View.between`."""
    curve = smooth(whole.values(), weight)
    if not len(places):
        return curve[:0]
    inside = np.searchsorted(view.starts, places, "right") - 1
    return np.asarray(curve[places + (starts - view.starts[:-1])[inside]])
