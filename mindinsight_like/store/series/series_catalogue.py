"""The series of an index: which tags runs have, and in which log files."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.store.database.connections import IndexConnection
from mindinsight_like.store.database.database import Row, in_chunks, marks
from mindinsight_like.store.names import SHOWN_KINDS, WITHOUT_STEPS
from mindinsight_like.store.result_types import (
    ScalarTagOverRuns,
    ScalarTagSummary,
    TagPage,
    TagSummary,
)
from mindinsight_like.store.run_catalogue import RunCatalogue
from mindinsight_like.store.segments.segment_access import SegmentAccess
from mindinsight_like.store.segments.segments import Segment
from mindinsight_like.store.series.curve_view import default_view
from mindinsight_like.store.series.points import Points
from mindinsight_like.store.series.series_parts import blob_parts, scalar_parts
from mindinsight_like.store.series.series_statistics import Statistics, statistics
from mindinsight_like.store.series.tag_names import TagNames
from mindinsight_like.store.series.tag_totals import COLUMNS, merged, tag_totals
from mindinsight_like.store.series.writer_streams import FileSeries, Lane, SessionStart, lanes, with_starts

_TAGS_IN_SQL = 500
_LOOKED_UP = 20_000  # series found one by one; for more it is better to look through those of the files
_RANKED = (Dialect.MINDSPORE, Dialect.MINDSPORE_LINEAGE)
_STATISTICS_KEPT = 100_000  # of lanes
_LANES_AT_ONCE = 500  # whose segments are in memory together

_Tag = tuple[str, int, str]  # run, kind, tag
_Measured = list[tuple[Lane, Statistics]]


class SeriesCatalogue:
    """What there is to know of tags: from the summaries of their series, or from the points where these are not enough.

    They are not enough where log files of one curve have steps in common, or session starts hide points.
    """

    def __init__(
        self, connection: IndexConnection, runs: RunCatalogue, tag_names: TagNames, segments: SegmentAccess
    ) -> None:
        self._connection = connection
        self._runs = runs
        self._segments = segments
        self._tag_names = tag_names
        self._computed: OrderedDict[tuple[int, _Tag, str], Statistics] = OrderedDict()  # by version of the run
        self._computed_lock = threading.Lock()

    def tags(self, run: str) -> dict[str, list[TagSummary]]:
        """The tags of every kind of data a run has, under the kind's name in the API."""
        return {SHOWN_KINDS[kind]: tags for kind, tags in self.tags_of(run, list(SHOWN_KINDS)).items()}

    def tags_of(self, run: str, kinds: Sequence[Kind]) -> dict[Kind, list[TagSummary]]:
        """The tags of some kinds of data a run has, by name; none for a kind it has not."""
        summaries: dict[Kind, list[TagSummary]] = {kind: [] for kind in kinds}
        for (_, kind, tag), measured in sorted(self._measured([run], kinds).items()):
            summaries[Kind(kind)].append(_summary(kind, tag, measured))
        return summaries

    def kinds(self, run: str, kinds: Iterable[Kind]) -> set[Kind]:
        """Those of some kinds of data that a run has."""
        return self._tag_names.kinds(run, kinds)

    def tag_page(self, run: str, kind: Kind, *, search: str = "", after: str = "", limit: int) -> TagPage[TagSummary]:
        """Some tags of one kind of data, by name: those after a name, with all words of `search` in them."""
        page = self._tag_names.page([run], kind, search=search, after=after, limit=limit)
        summaries: list[TagSummary] = []
        for chunk in in_chunks(page.names):
            measured = self._measured([run], [kind], chunk)
            summaries += [
                _summary(kind, tag, measured[key]) for tag in chunk if (key := (run, int(kind), tag)) in measured
            ]
        return TagPage(summaries, page.total, page.names[-1] if page.is_cut else None)

    def scalar_tag_page(
        self, runs: Sequence[str], *, search: str = "", after: str = "", limit: int
    ) -> TagPage[ScalarTagOverRuns]:
        """Some scalar tags that any of the runs has, by name; see `tag_page`."""
        page = self._tag_names.page(runs, Kind.SCALAR, search=search, after=after, limit=limit)
        tags = [tag for chunk in in_chunks(page.names) for tag in self.scalar_tags(runs, chunk)]
        return TagPage(tags, page.total, page.names[-1] if page.is_cut else None)

    def scalar_tags(self, runs: Sequence[str], tags: Sequence[str] | None = None) -> list[ScalarTagOverRuns]:
        """Every scalar tag that any of the runs has, or of at most 500 chosen ones, by name."""
        order = {run: place for place, run in enumerate(dict.fromkeys(runs))}
        plain_runs, rows = self._plain_series(list(order), tags)
        plain = tag_totals(rows, plain_runs, order)
        done = set(plain_runs.values())
        others = self._measured_tags([run for run in order if run not in done], tags)
        by_tag = {each.tag: each for each in plain}
        for each in others:
            by_tag[each.tag] = merged(by_tag[each.tag], each, order) if each.tag in by_tag else each
        return [by_tag[tag] for tag in sorted(by_tag)]

    def _plain_series(self, runs: Sequence[str], tags: Sequence[str] | None) -> tuple[dict[int, str], list[Row]]:
        """Runs of one log file without session starts, by that file, and their series of scalars for `tag_totals`.

        What such a series shows is known without a look at its points or at other files.
        """
        with self._connection.snapshot():
            families = self._runs.known_families(runs)
            owner = {member: run for run, members in families.items() for member in members}
            files_of: dict[str, list[int]] = {}
            for file, member in self._connection.query_many("SELECT id, run FROM files WHERE run IN ({})", owner):
                files_of.setdefault(owner[member], []).append(file)
            self._connection.refuse_damaged(file for files in files_of.values() for file in files)
            files_with_starts = self.start_files(families)
            plain = {
                files[0]: run for run, files in files_of.items() if len(files) == 1 and run not in files_with_starts
            }
            condition, parameters = f"kind = {Kind.SCALAR:d}", list[object]()
            if tags is not None:
                condition, parameters = f"{condition} AND tag IN ({marks(tags)})", [*tags]
            rows = (
                self._connection.query_many(
                    f"SELECT {COLUMNS} FROM series WHERE file IN ({{}}) AND {condition}", plain, *parameters
                )
                if tags is None or tags
                else []
            )
        unclear = {row[0] for row in rows if row[-1] is None}
        return (
            {file: run for file, run in plain.items() if file not in unclear},
            [row for row in rows if row[0] not in unclear] if unclear else list(rows),
        )

    def _measured_tags(self, runs: Sequence[str], tags: Sequence[str] | None) -> list[ScalarTagOverRuns]:
        """The same for runs whose curves may be made of several series."""
        by_tag: dict[str, list[tuple[str, Statistics]]] = {}
        order = {run: place for place, run in enumerate(runs)}
        by_series = self._measured(runs, [Kind.SCALAR], tags) if runs else {}
        for (run, _, tag), measured in sorted(by_series.items(), key=lambda item: order[item[0][0]]):
            by_tag.setdefault(tag, []).extend((run, each) for _, each in measured)
        return [
            ScalarTagOverRuns(
                tag,
                list(dict.fromkeys(run for run, _ in members)),
                sum(each.shown for _, each in members),
                *_reach([each for _, each in members]),
                *_extremes([each for _, each in members]),
                sum(each.non_finite for _, each in members),
                superseded=sum(each.superseded for _, each in members),
            )
            for tag, members in by_tag.items()
        ]

    def scalar_summaries(
        self, runs: Sequence[str], tags: Sequence[str] | None = None
    ) -> dict[str, dict[str, ScalarTagSummary]]:
        """What is known of the scalars of some runs, by run and tag; tags None: all there are."""
        summaries: dict[str, dict[str, ScalarTagSummary]] = {}
        for (run, _, tag), measured in sorted(self._measured(runs, [Kind.SCALAR], tags).items()):
            summary = _summary(Kind.SCALAR, tag, measured)
            assert isinstance(summary, ScalarTagSummary)
            summaries.setdefault(run, {})[tag] = summary
        return summaries

    def _measured(
        self, runs: Sequence[str], kinds: Sequence[int], tags: Sequence[str] | None = None
    ) -> dict[_Tag, _Measured]:
        """The lanes of some runs by run, kind and tag, each with the statistics of what it shows."""

        def answer() -> dict[_Tag, _Measured]:
            families = self._runs.known_families(runs)
            connection = self._connection.current()
            if connection is None:
                return {}
            with connection.snapshot():
                tag_lanes = self.tag_lanes(families, kinds, tags)
                plain = {key: [(lane, _combined(lane)) for lane in of_tag] for key, of_tag in tag_lanes.items()}
                unclear = [(key, lane) for key, of_tag in plain.items() for lane, each in of_tag if each is None]
                computed = self._statistics(unclear) if unclear else {}
            return {
                key: [(lane, computed[key, lane.source] if each is None else each) for lane, each in of_tag]
                for key, of_tag in plain.items()
            }

        return self._segments.retry(answer)

    def _statistics(self, chosen: Sequence[tuple[_Tag, Lane]]) -> dict[tuple[_Tag, str], Statistics]:
        """Of lanes whose points have to be looked through, by tag and source; kept until their run changes."""
        runs = list(dict.fromkeys(run for (run, _, _), _ in chosen))
        versions = dict(zip(runs, self._runs.versions(runs), strict=True))
        results: dict[tuple[_Tag, str], Statistics] = {}
        missing = []
        with self._computed_lock:
            for key, lane in chosen:
                cached = self._computed.get((versions[key[0]], key, lane.source))
                if cached is None:
                    missing.append((key, lane))
                else:
                    results[key, lane.source] = cached
        for begin in range(0, len(missing), _LANES_AT_ONCE):
            part = missing[begin : begin + _LANES_AT_ONCE]
            segments = self._segments.read({series.file for _, lane in part for series in lane.series})
            for key, lane in part:
                has_values = key[1] == Kind.SCALAR
                results[key, lane.source] = statistics(default_view(lane_points(lane, segments)), has_values=has_values)
        with self._computed_lock:
            for key, lane in missing:
                self._computed[versions[key[0]], key, lane.source] = results[key, lane.source]
            while len(self._computed) > _STATISTICS_KEPT:
                self._computed.popitem(last=False)
        return results

    def tag_lanes(
        self, families: dict[str, dict[str, str]], kinds: Sequence[int], tags: Sequence[str] | None = None
    ) -> dict[_Tag, list[Lane]]:
        """The curves of some runs by run, kind and tag."""
        tag_lanes = {key: lanes(rows) for key, rows in self._series(families, kinds, tags).items()}
        starts = self._session_starts(families)
        return (
            {key: with_starts(of_tag, starts.get(key[0], ())) for key, of_tag in tag_lanes.items()}
            if starts
            else tag_lanes
        )

    def _session_starts(self, families: dict[str, dict[str, str]]) -> dict[str, list[SessionStart]]:
        """Where files of some runs say that training was taken up again, by run."""
        files = self.start_files(families)
        segments = self._segments.read([file for of_run in files.values() for file, _ in of_run])
        return {
            run: [
                SessionStart(file, name, step, wall)
                for file, name in of_run
                for segment in segments.get(file, ())
                for step, wall in zip(segment.starts["step"].tolist(), segment.starts["wall"].tolist(), strict=True)
            ]
            for run, of_run in files.items()
        }

    def start_files(self, families: dict[str, dict[str, str]]) -> dict[str, list[tuple[int, str]]]:
        """Ids and names of the files with session starts, by run."""
        owner = {member: run for run, members in families.items() for member in members}
        files: dict[str, list[tuple[int, str]]] = {}
        for member, file, name in self._connection.query_many(
            "SELECT files.run, files.id, files.name FROM files JOIN series"
            f" ON series.file = files.id WHERE files.run IN ({{}}) AND kind = {Kind.SESSION:d} AND tag = 'start'",
            owner,
        ):
            files.setdefault(owner[member], []).append((file, name))
        return files

    def _series(
        self, families: dict[str, dict[str, str]], kinds: Sequence[int], tags: Sequence[str] | None = None
    ) -> dict[_Tag, list[FileSeries]]:
        """The series of some runs by run, kind and tag."""
        if tags is not None and not tags:
            return {}
        owner = {member: (run, source) for run, members in families.items() for member, source in members.items()}
        with self._connection.snapshot():
            files = {
                file: (*owner[member], file, name, rank, dialect in _RANKED)
                for file, member, name, rank, dialect in self._connection.query_many(
                    "SELECT id, run, name, rank, dialect FROM files WHERE run IN ({})", owner
                )
            }
            self._connection.refuse_damaged(files)
            condition, parameters = f"kind IN ({marks(kinds)})", list[object](kinds)
            hint = ""
            if tags is not None and len(tags) <= _TAGS_IN_SQL:
                if len(tags) * len(files) <= _LOOKED_UP:
                    hint = self._connection.database.by_tag
                condition, parameters = f"{condition} AND tag IN ({marks(tags)})", [*parameters, *tags]
            rows = self._connection.query_many(
                "SELECT file, kind, tag, sub, number, count, first_step, last_step, first_wall, last_wall, min, max,"
                f" last_value, non_finite, superseded FROM series{hint} WHERE file IN ({{}}) AND {condition}",
                files,
                *parameters,
            )
        by_tag: dict[_Tag, list[FileSeries]] = {}
        for row in rows:
            series = FileSeries(*files[row[0]], *row[1:])
            by_tag.setdefault((series.run, series.kind, series.tag), []).append(series)
        return by_tag


def lane_points(lane: Lane, segments: Mapping[int, Sequence[Segment]]) -> Points:
    """The points of a lane, given the segments of its files; the values of blobs are their places in the files."""
    parts_of = scalar_parts if lane.series[0].kind == Kind.SCALAR else blob_parts
    return Points(
        [
            part
            for place, (series, limit) in enumerate(zip(lane.series, lane.limits, strict=True))
            for part in parts_of(segments.get(series.file, ()), series.number, file=place, limit=limit)
        ]
    )


def _combined(lane: Lane) -> Statistics | None:
    """The statistics of a lane from those of its files; None where they are not enough."""
    series = lane.series
    if len(series) > 1:
        series = sorted(series, key=lambda each: each.first_step)
    if series[0].kind not in WITHOUT_STEPS and (
        lane.has_starts
        or any(each.superseded is None for each in series)
        or any(limit is not None for limit in lane.limits)
        or any(one.last_step >= other.first_step for one, other in pairwise(series))
        or (len(series) > 1 and any(each.has_one_step for each in series))
    ):
        return None
    low = [each.min for each in series if each.min is not None]
    high = [each.max for each in series if each.max is not None]
    return Statistics(
        sum(each.points for each in series),
        sum(each.superseded or 0 for each in series),
        series[0].first_step,
        max(each.last_step for each in series),
        min(low, default=None),
        max(high, default=None),
        series[-1].last_value,
        sum(each.non_finite for each in series),
    )


def _summary(kind: int, tag: str, measured: _Measured) -> TagSummary:
    stats = [each for _, each in measured]
    count, superseded = sum(each.shown for each in stats), sum(each.superseded for each in stats)
    first, last = _reach(stats)
    if kind != Kind.SCALAR:
        return TagSummary(tag, count, first, last, superseded=superseded)
    # Of several curves that end at the same step the one that was written to last.
    _, newest = max(measured, key=_end)
    return ScalarTagSummary(
        tag,
        count,
        first,
        last,
        *_extremes(stats),
        float("nan") if newest.last_value is None else newest.last_value,
        sum(each.non_finite for each in stats),
        [lane.source for lane, _ in measured],
        superseded=superseded,
    )


def _end(measured: tuple[Lane, Statistics]) -> tuple[bool, int, float, str]:
    lane, each = measured
    newest = max(lane.series, key=lambda series: (series.last_wall, series.file_name))
    return each.shown > 0, each.last_step, newest.last_wall, newest.file_name


def _reach(stats: Sequence[Statistics]) -> tuple[int, int]:
    """The smallest and the largest step; 0 when nothing is shown."""
    visible = [each for each in stats if each.shown]
    return min((each.first_step for each in visible), default=0), max((each.last_step for each in visible), default=0)


def _extremes(stats: Iterable[Statistics]) -> tuple[float | None, float | None]:
    """The smallest and the largest finite value; a zero has no sign, as it depends on the order of reading."""
    entries = list(stats)
    low = min((each.min for each in entries if each.min is not None), default=None)
    high = max((each.max for each in entries if each.max is not None), default=None)
    return None if low is None else low + 0.0, None if high is None else high + 0.0
