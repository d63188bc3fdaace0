"""The series of an index: which tags runs have, and in which log files."""

from __future__ import annotations

from collections.abc import Sequence

from mindinsight_like.logs.kinds import Dialect, Kind
from mindinsight_like.store.answers import ScalarTagOverRuns, ScalarTagSummary, TagSummary
from mindinsight_like.store.database import in_chunks, marks
from mindinsight_like.store.lanes import FileSeries, SessionStart, lanes
from mindinsight_like.store.names import SHOWN_KINDS
from mindinsight_like.store.run_catalogue import RunCatalogue

_TAGS_IN_SQL = 500
_RANKED = (Dialect.MINDSPORE, Dialect.MINDSPORE_LINEAGE)


class SeriesCatalogue(RunCatalogue):
    """What there is to know of tags from the summaries of their series."""

    def tags(self, run: str) -> dict[str, list[TagSummary]]:
        """The tags of every kind of data a run has, under the kind's name in the API."""
        return {SHOWN_KINDS[kind]: tags for kind, tags in self.tags_of(run, list(SHOWN_KINDS)).items()}

    def tags_of(self, run: str, kinds: Sequence[Kind]) -> dict[Kind, list[TagSummary]]:
        """The tags of some kinds of data a run has, by name; none for a kind it has not."""
        found: dict[Kind, list[TagSummary]] = {kind: [] for kind in kinds}
        for (_, kind, tag), rows in sorted(self._series(self._known_families([run]), kinds).items()):
            found[Kind(kind)].append(_summary(tag, rows))
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

    def scalar_summaries(
        self, runs: Sequence[str], tags: Sequence[str] | None = None
    ) -> dict[str, dict[str, ScalarTagSummary]]:
        """What is known of the scalars of some runs, by run and tag; tags None: all there are."""
        found: dict[str, dict[str, ScalarTagSummary]] = {}
        for (run, _, tag), rows in sorted(self._series(self._known_families(runs), [Kind.SCALAR], tags).items()):
            summary = _summary(tag, rows)
            assert isinstance(summary, ScalarTagSummary)
            found.setdefault(run, {})[tag] = summary
        return found

    def last_scalars(self, runs: Sequence[str], tags: Sequence[str]) -> dict[str, dict[str, float]]:
        """The newest value of scalars by run and tag; much cheaper than all that `scalar_summaries` tells."""
        owner = {member: run for run, members in self._known_families(runs).items() for member in members}
        newest: dict[tuple[str, str], tuple[float, str, float | None]] = {}
        for part in in_chunks(tags):
            rows = self._ask_many(
                "SELECT run, tag, last_wall, name, last_value FROM files JOIN series ON series.file = files.id"
                f" WHERE run IN ({{}}) AND kind = {Kind.SCALAR:d} AND tag IN ({marks(part)})",
                owner,
                *part,
            )
            for member, tag, *found in rows:
                key = owner[member], tag
                if key not in newest or newest[key][:2] < (found[0], found[1]):
                    newest[key] = found[0], found[1], found[2]
        values: dict[str, dict[str, float]] = {}
        for (run, tag), (_, _, value) in newest.items():
            values.setdefault(run, {})[tag] = float("nan") if value is None else value
        return values

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
