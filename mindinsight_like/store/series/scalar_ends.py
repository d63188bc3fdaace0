"""Ends of scalars over many runs: from the statistics of their series, without reading a curve where these suffice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from mindinsight_like.logs.kinds import Kind
from mindinsight_like.store.database.connections import IndexConnection
from mindinsight_like.store.database.database import Row, in_chunks, marks
from mindinsight_like.store.result_types import ScalarEndColumns, ScalarEnds, ScalarReach
from mindinsight_like.store.run_catalogue import RunCatalogue
from mindinsight_like.store.series.series_catalogue import SeriesCatalogue

_TAGS_OF_FILE = 2_000  # that tables of all runs know of
_TAG_SETS = (
    "SELECT files.run, {} FROM files JOIN series ON series.file = files.id"
    f" WHERE {{}}kind = {Kind.SCALAR:d} AND number < {_TAGS_OF_FILE} GROUP BY files.id, files.run"
)


class ScalarEndCatalogue:
    """Last, smallest and largest values, and which tags there are, for tables of all runs."""

    def __init__(self, connection: IndexConnection, runs: RunCatalogue, series: SeriesCatalogue) -> None:
        self._connection = connection
        self._runs = runs
        self._series = series
        self._starts: tuple[int, frozenset[str]] | None = None  # by the cursor they were read at

    def last_scalars(self, runs: Sequence[str], tags: Sequence[str]) -> dict[str, dict[str, float]]:
        """The value of scalars at their largest step by run and tag; cheaper than all that `scalar_summaries` tells."""
        ends = self.of_runs(runs, tags)
        return {run: {tag: each.last for tag, each in by_tag.items()} for run, by_tag in ends.items()}

    def of_runs(self, runs: Sequence[str], tags: Sequence[str]) -> dict[str, dict[str, ScalarEnds]]:
        """Last, smallest and largest value of scalars by run and tag; of most, one row of the index says it all."""
        families = self._runs.known_families(runs)
        owner = {member: run for run, members in families.items() for member in members}
        rows: dict[tuple[str, str], list[tuple[ScalarEnds, int | None]]] = {}
        for part in in_chunks(tags):
            of_part = self._connection.query_many(
                "SELECT run, tag, last_value, min, max, superseded, files.id FROM files"
                " JOIN series ON series.file = files.id"
                f" WHERE run IN ({{}}) AND kind = {Kind.SCALAR:d} AND tag IN ({marks(part)})",
                owner,
                *part,
            )
            self._connection.refuse_damaged({row[-1] for row in of_part})
            for member, tag, last, low, high, superseded, _ in of_part:
                ends = ScalarEnds(_or_nan(last), _or_nan(low), _or_nan(high))
                rows.setdefault((owner[member], tag), []).append((ends, superseded))
        with_starts = set(self._series.start_files(families))
        values: dict[str, dict[str, ScalarEnds]] = {}
        unclear: dict[str, None] = {}
        for (run, tag), candidates in rows.items():
            ends, superseded = candidates[0]
            if len(candidates) > 1 or superseded is None or run in with_starts:
                unclear[run] = None
            else:
                values.setdefault(run, {})[tag] = ends
        for run, summaries in (self._series.scalar_summaries(list(unclear), tags) if unclear else {}).items():
            values[run] = {
                tag: ScalarEnds(each.last_value, _or_nan(each.min), _or_nan(each.max))
                for tag, each in summaries.items()
            }
        return values

    def of_tags(self, tags: Sequence[str]) -> dict[str, ScalarEndColumns]:
        """Last, smallest and largest values of scalars in all runs by tag; raises Rebuilding where any is damaged.

        Several at once: most of the time goes into finding the series of each file.
        """
        columns = {tag: ScalarEndColumns([], np.zeros((0, 3)), []) for tag in tags}
        rows: list[Row] = []
        with self._connection.snapshot():
            parents = self._runs.parents()
            for part in in_chunks(list(columns)):
                rows += self._connection.query(
                    "SELECT files.run, last_value, min, max, superseded, files.id, tag FROM files"
                    f" JOIN series{self._connection.database.by_tag} ON series.file = files.id"
                    f" WHERE kind = {Kind.SCALAR:d} AND tag IN ({marks(part)})",
                    part,
                )
            starts = self._members_with_starts()
        self._connection.refuse_damaged({row[5] for row in rows})
        by_tag: dict[str, list[Row]] = {tag: [] for tag in columns}
        for row in rows:
            by_tag[row[6]].append(row)
        return columns | {tag: _columns(of_tag, parents, starts) for tag, of_tag in by_tag.items() if of_tag}

    def reaches(self, runs: Sequence[str]) -> dict[str, ScalarReach]:
        """The reach of the scalars of some runs; those without any that has two points have none."""
        rows = self._connection.query_many(
            "SELECT files.run, MIN(series.first_step), MAX(series.last_step), MIN(series.first_wall),"
            " MAX(series.last_wall), MIN(files.id) FROM files JOIN series ON series.file = files.id"
            f" WHERE run IN ({{}}) AND kind = {Kind.SCALAR:d} AND count > 1 GROUP BY files.run",
            runs,
        )
        self._connection.refuse_damaged({row[-1] for row in rows})
        return {run: ScalarReach(*reach) for run, *reach, _ in rows}

    def _members_with_starts(self) -> frozenset[str]:
        """The folders with session starts, looked for once per state of the index."""
        cursor = self._runs.cursor()
        if self._starts is None or self._starts[0] != cursor:
            rows = self._connection.query(
                "SELECT DISTINCT files.run FROM files"
                f" JOIN series{self._connection.database.by_tag} ON series.file = files.id"
                f" WHERE kind = {Kind.SESSION:d} AND tag = 'start'"
            )
            self._starts = cursor, frozenset(member for (member,) in rows)
        return self._starts[1]

    def all_tag_sets(self) -> dict[str, list[str]]:
        """The same as `tag_sets` of all runs."""
        parents = self._runs.parents()
        sets: dict[str, list[str]] = {}
        for member, tags in self._connection.query(_TAG_SETS.format(self._connection.database.json_list("tag"), "")):
            sets.setdefault(parents.get(str(member), str(member)), []).append(tags)
        return sets

    def tag_sets(self, runs: Sequence[str]) -> dict[str, list[str]]:
        """The scalar tags of each log file of some runs, as JSON, by run; files that log alike have equal texts.

        Of a file with thousands of series only the first ones.
        """
        families = self._runs.families(runs)
        owner = {member: run for run, members in families.items() for member in members}
        sets: dict[str, list[str]] = {}
        statement = _TAG_SETS.format(self._connection.database.json_list("tag"), "run IN ({}) AND ")
        for member, tags in self._connection.query_many(statement, owner):
            sets.setdefault(owner[member], []).append(tags)
        return sets


def _columns(rows: Sequence[Row], parents: Mapping[str, str], starts: frozenset[str]) -> ScalarEndColumns:
    """The values of one tag, from rows of `of_tags`."""
    members, last, low, high, superseded, _, _ = zip(*rows, strict=True)
    runs = [parents.get(member, member) for member in members] if parents else list(members)
    unclear = {run for run, hidden in zip(runs, superseded, strict=True) if hidden is None}
    if len(set(runs)) < len(runs):
        unclear.update(run for run, count in Counter(runs).items() if count > 1)
    unclear.update({parents.get(member, member) for member in starts} & set(runs) if starts else ())
    ends = np.array([last, low, high], np.float64).T + 0.0  # None becomes NaN; a zero has no sign
    if unclear:
        is_clear = np.array([run not in unclear for run in runs], bool)
        runs, ends = [run for run in runs if run not in unclear], ends[is_clear]
    return ScalarEndColumns(runs, ends, sorted(unclear))


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value + 0.0  # a zero has no sign, as it depends on the order of reading
