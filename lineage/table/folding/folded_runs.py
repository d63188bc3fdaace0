"""The runs with a row for all sub-runs of a training, one per process, made when somebody asks for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import Rebuilding
from mindinsight_like.lineage.columns import Column
from mindinsight_like.lineage.query.parser import RUN_NAME
from mindinsight_like.lineage.table.run_facts import fact_columns, number_column
from mindinsight_like.lineage.table.run_table import CREATED, UPDATED, RunTable
from mindinsight_like.lineage.table.scalars.scalar_columns import ScalarColumns
from mindinsight_like.lineage.table.united_runs import UnitedRuns, UnitedRunTables
from mindinsight_like.store.result_types import RunFacts, ScalarReach

from .facts import joined_facts
from .folded_table import FoldedColumns, FoldedTable
from .folding_settings import FoldingSettings
from .rows import FoldedRows
from .rules import FoldingRules
from .sub_runs import EVALUATION, TRAINING, find_sub_runs


@dataclass(frozen=True)
class SubRun:
    """A run that is shown in a row with others."""

    run: str
    name: str
    role: str  # training, evaluation, rank, version, session or empty
    number: int | None  # of a rank or version


@dataclass(frozen=True)
class FoldedRuns(UnitedRuns):
    """One state of the rows; `whole` has a row for every run."""

    whole: UnitedRuns = dataclass_field(kw_only=True)
    rows: FoldedRows = dataclass_field(kw_only=True)

    def scalar_columns(self, tables: UnitedRunTables, names: Sequence[str], *, wait: bool) -> ScalarColumns:
        made = self.whole.scalar_columns(tables, names, wait=wait)
        table = self._folded_table
        columns = {
            name: self.rows.column(column, table.preference(name), name.rpartition("/")[2])
            for name, column in made.columns.items()
        }
        return ScalarColumns(columns, made.rebuilding, made.pending)

    def sub_runs(self, row: int) -> list[SubRun]:
        """The runs of a row, first the one that it stands for; empty if it is the only one."""
        members = self.rows.members[row]
        return [self._sub_run(place) for place in members] if len(members) > 1 else []

    def run_of(self, column: str, row: int) -> str:
        """The run whose value a row shows in a column."""
        source = int(self._folded_table.source_places(column)[row])
        return self.plain.ids[row] if source < 0 else self.whole.plain.ids[source]

    @property
    def _folded_table(self) -> FoldedTable:
        assert isinstance(self.table, FoldedTable)
        return self.table

    def _sub_run(self, place: int) -> SubRun:
        rows, whole = self.rows, self.whole.plain
        role, number = "", None
        if (of_split := rows.roles.get(place)) is not None:
            role = {TRAINING: "training", EVALUATION: "evaluation"}[of_split]
        elif place in rows.ranks:
            role, number = "rank", rows.ranks[place]
        elif place in rows.versions:
            role, number = "version", rows.versions[place]
        elif place in rows.sessions:
            role = "session"
        return SubRun(whole.ids[place], whole.facts[place].name, role, number)


@dataclass(frozen=True)
class _FoundRows:
    """The rows of some runs, and what they depend on."""

    ids: list[str]
    rules: FoldingRules
    versions: dict[int, ScalarReach | None]  # of runs that may be versions of one training
    rows: FoldedRows


class FoldedRunTables:
    """Gives the rows as they are now; any number of threads may ask."""

    def __init__(self, tables: UnitedRunTables, settings: FoldingSettings, *, first_project: str = "") -> None:
        self._tables = tables
        self._settings = settings
        self._first_project = first_project
        self._lock = threading.Lock()
        self._rows: _FoundRows | None = None
        self._reaches: dict[str, tuple[int, ScalarReach | None]] = {}  # of a run: its revision, and what it was then
        self._facts: tuple[FoldedRows, NDArray[np.int64], list[RunFacts]] | None = None
        self._cached: tuple[UnitedRuns, FoldedRows, UnitedRuns] | None = None

    def get(self) -> UnitedRuns:
        """The rows; the table of all runs itself where no two belong together."""
        whole, rules = self._tables.get(), self._settings.current()
        with self._lock:
            rows = self._find_rows(whole.plain, rules)
            cached = self._cached
            if cached is None or cached[0] is not whole or cached[1] is not rows:
                cached = whole, rows, self._fold(whole, rows) if rows.several else whole
                self._cached = cached
            return cached[2]

    def _find_rows(self, runs: RunTable, rules: FoldingRules) -> FoldedRows:
        """The rows; the same object as long as they hold the same runs."""
        cached = self._rows
        if cached is not None and cached.ids is runs.ids and cached.rules == rules:
            versions = list(cached.versions)
            if not versions or self._read_reaches(runs, versions) == cached.versions:
                return cached.rows
        read: dict[int, ScalarReach | None] = {}

        def reaches(places: Sequence[int]) -> Mapping[int, ScalarReach]:
            read.update(self._read_reaches(runs, places))
            return {place: reach for place, reach in read.items() if reach is not None}

        names = [each.name for each in runs.facts]
        rows = FoldedRows(names, find_sub_runs(names, rules, reaches, lambda: _find_sessions(runs)))
        self._rows = _FoundRows(runs.ids, rules, read, rows)
        return rows

    def _read_reaches(self, runs: RunTable, places: Sequence[int]) -> dict[int, ScalarReach | None]:
        """The reach of some runs; None without any, or while it is damaged in the index."""
        revisions = runs.revisions[list(places)].tolist()
        ids = [runs.ids[place] for place in places]
        unread = [
            run
            for run, revision in zip(ids, revisions, strict=True)
            if run not in self._reaches or self._reaches[run][0] != revision
        ]
        if unread:
            try:
                read = self._tables.tables.reader.scalar_ends.reaches(unread)
            except Rebuilding:  # versions are rows of their own until they are readable again
                return dict.fromkeys(places)
            numbers = dict(zip(ids, revisions, strict=True))
            self._reaches |= {run: (numbers[run], read.get(run)) for run in unread}
        return {place: self._reaches[run][1] for place, run in zip(places, ids, strict=True)}

    def _fold(self, whole: UnitedRuns, rows: FoldedRows) -> FoldedRuns:
        plain, leads = whole.plain, rows.leads.tolist()
        ids = [plain.ids[place] for place in leads]
        facts = self._joined_facts(plain, rows)
        member_rows = {plain.ids[place]: row for row in rows.several for place in rows.members[row]}
        revisions = np.zeros(len(rows), np.int64)
        np.maximum.at(revisions, rows.row_of, plain.revisions)
        has_lineage = np.zeros(len(rows), bool)
        np.logical_or.at(has_lineage, rows.row_of, [run not in plain.without_lineage for run in plain.ids])
        folded = RunTable(
            ids=ids,
            table=FoldedColumns(plain.table, rows),
            pipelines=FoldedColumns(plain.pipelines, rows),
            added=plain.added,
            shared=plain.shared,
            domains=plain.domains,
            without_lineage=frozenset(ids[row] for row in np.flatnonzero(~has_lineage).tolist()),
            revisions=revisions,
            facts=facts,
            annotations=plain.annotations,
            rebuilding=plain.rebuilding,
            member_rows=member_rows,
        )
        own: dict[str, Callable[[], Column]] = {
            RUN_NAME: lambda: Column(RUN_NAME, list(rows.names)),
            CREATED: lambda: number_column(CREATED, [each.created_at for each in facts]),
            UPDATED: lambda: number_column(UPDATED, [each.updated_at for each in facts]),
            "dialects": lambda: Column("dialects", [each.dialects for each in facts]),
            "bytes": lambda: Column("bytes", [each.bytes for each in facts]),
            **fact_columns(folded, self._first_project),
        }
        members = (tuple(plain.ids[place] for place in part) for part in rows.members)
        tags = self._tables.tags.counts_by_row(members)
        table = FoldedTable(whole.table, rows, own, tags, self._tables.rules())
        return FoldedRuns(folded, table, whole.rebuilding_scalars, whole=whole, rows=rows)

    def _joined_facts(self, plain: RunTable, rows: FoldedRows) -> list[RunFacts]:
        """The facts of the rows; those in which no run has changed are not made again."""
        if self._facts is not None and self._facts[0] is rows:
            _, revisions, before = self._facts
            changed = np.zeros(len(rows), bool)
            changed[rows.row_of[revisions != plain.revisions]] = True
            facts = list(before)
            renewed: list[int] = np.flatnonzero(changed).tolist()
        else:
            facts = [plain.facts[lead] for lead in rows.leads.tolist()]
            renewed = rows.several
        for row in renewed:
            members = rows.members[row]
            if len(members) == 1:
                facts[row] = plain.facts[members[0]]
                continue
            newest = max(rows.versions.get(place, 0) for place in members)
            facts[row] = joined_facts(
                rows.names[row],
                [plain.facts[place] for place in members],
                [plain.facts[place] for place in members if rows.versions.get(place, 0) == newest],
            )
        self._facts = rows, plain.revisions, facts
        return facts


def _find_sessions(runs: RunTable) -> dict[int, bool]:
    """Of the runs of which more than their files is known: whether they have hyperparameters."""
    known = [place for place, run in enumerate(runs.ids) if run not in runs.without_lineage]
    has_some = np.zeros(len(known), bool)
    for name in runs.table.names if known else ():
        if name.startswith("hparam/"):
            has_some |= runs.table.column(name).present[known]
    return dict(zip(known, has_some.tolist(), strict=True))
