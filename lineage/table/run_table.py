"""In-memory table of all runs with their lineage, one per process, refreshed incrementally."""

from __future__ import annotations

import posixpath
import threading
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import Rebuilding
from mindinsight_like.lineage.columns import Table, Value
from mindinsight_like.lineage.query.parser import RUN_NAME
from mindinsight_like.lineage.records.record import summary_from_text
from mindinsight_like.store.annotations import Annotation, Annotations
from mindinsight_like.store.intact import Intact, read_part
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.store.result_types import RunFacts

from .domains import domains
from .lineage_graph import LineageGraph

LABELS, NOTE, CREATED, UPDATED, MARK = "labels", "note", "created_at", "updated_at", "dataset_mark"


@dataclass(frozen=True)
class RunTable:
    """One row per run, by name. The pipelines of data processing are a table of their own with the same rows."""

    ids: list[str]
    table: Table
    pipelines: Table
    added: dict[str, list[str | None]]  # columns that depend on all rows together
    shared: dict[str, int]  # how many runs share the pipeline of that number
    domains: dict[str, Any]  # of columns of hyper-parameters: the values that experiments allow
    without_lineage: frozenset[str]  # runs of which no more is known than what their files are
    revisions: NDArray[np.int64]  # of each row: another one whenever anything about the run has changed
    facts: Sequence[RunFacts]  # of each row
    annotations: Mapping[str, Annotation] = field(default_factory=dict)  # of runs that have one
    rebuilding: frozenset[str] = frozenset()  # runs whose scalars are missing, since they are damaged in the index
    member_rows: Mapping[str, int] = field(default_factory=dict)  # of runs that are shown in the row of several

    def refuse_partial(self) -> None:
        """Raise Rebuilding where scalars are missing: for tables that have no place to say so."""
        if self.rebuilding:
            raise Rebuilding("Scalars of some runs are damaged in the index and are being rebuilt from their logs.")

    @cached_property
    def places(self) -> dict[str, int]:
        """The row of each run."""
        return {run: place for place, run in enumerate(self.ids)} | dict(self.member_rows)

    def with_rows(self, rows: Mapping[str, Mapping[str, Value]], revision: int, facts: Sequence[RunFacts]) -> RunTable:
        """The same runs, some of them with other values; `facts` of all."""
        by_place = {self.places[run]: row for run, row in rows.items()}
        revisions = self.revisions.copy()
        revisions[list(by_place)] = revision
        return replace(self, table=self.table.with_rows(by_place), revisions=revisions, facts=facts)


class RunTables:
    """Gives the table as it is now; any number of threads may ask."""

    def __init__(self, reader: IndexReader, annotations: Annotations) -> None:
        self.reader = reader
        self._annotations = annotations
        self._lock = threading.Lock()
        self._cursor = 0
        self._facts: dict[str, RunFacts] = {}
        self._summaries: dict[str, dict[str, Any]] = {}
        self._result_sources: dict[str, dict[tuple[str, str], str]] = {}
        self._rows: dict[str, dict[str, Value]] = {}
        self._revisions: dict[str, int] = {}  # of rows: the refresh that made them last
        self._refreshes = 0
        self._graph: LineageGraph | None = None
        self._unannotated: RunTable | None = None
        self._rebuilding: frozenset[str] = frozenset()  # runs whose scalars are missing in rows
        self._cached: tuple[tuple[int, int], RunTable] | None = None

    def state(self) -> tuple[int, int]:
        """What the table depends on; equal states, equal tables."""
        return self.reader.runs.cursor(), self._annotations.version()

    def get(self) -> RunTable:
        with self._lock:
            state = self.state()
            if self._cached is None or self._cached[0] != state or self._rebuilding:
                annotated = _with_annotations(self._refresh(state[0]), self._annotations.of_runs())
                self._cached = state, replace(annotated, rebuilding=self._rebuilding)
            return self._cached[1]

    def graph(self) -> LineageGraph:
        """Where runs come from and what came of them, as the table is now."""
        self.get()
        with self._lock:
            if self._graph is None:
                self._graph = LineageGraph({run: each.name for run, each in self._facts.items()}, dict(self._summaries))
            return self._graph

    def _refresh(self, cursor: int) -> RunTable:
        """The table with what the index has learned since the last time."""
        if self._unannotated is not None and cursor == self._cursor and not self._rebuilding:
            return self._unannotated
        since = self._cursor
        if self._unannotated is None or cursor < since:  # the index was made anew
            since, self._facts, self._summaries, self._rows, self._unannotated = 0, {}, {}, {}, None
            self._revisions = {}
        removed = [run for run in self.reader.runs.changes(since).removed if run in self._facts] if self._facts else []
        changed = {each.id: each for each in self.reader.runs.facts(since)}
        summaries = self.reader.runs.lineage_summaries(since)
        has_same_runs = not removed and changed.keys() <= self._facts.keys()
        self._facts |= changed
        self._summaries |= {run: summary_from_text(text) for run, text in summaries.items() if text}
        for run in removed:
            del self._facts[run], self._rows[run], self._revisions[run]
            self._summaries.pop(run, None)
        if not has_same_runs or summaries:
            self._result_sources, self._graph = _find_result_sources(self._facts, self._summaries), None
        # The end of a rebuild changes no version, so what was missing is looked for every time.
        affected = self._refresh_rows(changed.keys() | summaries.keys() | self._rebuilding)
        self._cursor = cursor
        if self._unannotated is not None and has_same_runs and not summaries:
            facts = [self._facts[run] for run in self._unannotated.ids]
            rows = {run: self._rows[run] for run in affected}
            self._unannotated = self._unannotated.with_rows(rows, self._refreshes, facts)
        else:
            self._unannotated = self._rebuild()
        return self._unannotated

    def _refresh_rows(self, changed: Set[str]) -> list[str]:
        """Make the rows of changed runs, and of runs whose results are the scalars of those."""
        self._refreshes += 1
        affected = [run for run in changed if run in self._facts]
        affected += [
            run
            for run, sources in self._result_sources.items()
            if run not in changed and not changed.isdisjoint(sources.values())
        ]
        metrics = self._metrics({run: self._result_sources[run] for run in affected if run in self._result_sources})
        for run in affected:
            values: dict[str, Value] = self._summaries.get(run, {}).get("values", {})
            self._rows[run] = _plain_facts(self._facts[run]) | values | metrics.get(run, {})
            self._revisions[run] = self._refreshes
        return affected

    def _metrics(self, measured: Mapping[str, Mapping[tuple[str, str], str]]) -> dict[str, dict[str, Value]]:
        """The last values of the scalars that experiments name as their results."""
        runs = list(dict.fromkeys(owner for sources in measured.values() for owner in sources.values()))
        tags = list(dict.fromkeys(tag for sources in measured.values() for tag, _ in sources))
        read: Intact[dict[str, dict[str, float]]] = read_part(
            self.reader, runs, lambda intact: self.reader.scalar_ends.last_scalars(intact, tags), empty={}
        )
        last, self._rebuilding = read.answer, frozenset(read.rebuilding)
        metrics: dict[str, dict[str, Value]] = {}
        for run, sources in measured.items():
            for (tag, group), owner in sources.items():
                value = last.get(owner, {}).get(tag)
                if value is not None:
                    metrics.setdefault(run, {})[f"metric/{group}/{tag}" if group else f"metric/{tag}"] = value
        return metrics

    def _rebuild(self) -> RunTable:
        ids = sorted(self._rows, key=lambda run: self._facts[run].name)
        marks, shared = _number_pipelines(self._summaries.get(run, {}).get("pipeline") for run in ids)
        stages: list[Mapping[str, Value]] = []
        for run, mark in zip(ids, marks, strict=True):
            base: dict[str, Value] = {RUN_NAME: self._facts[run].name}
            stages.append(base if mark is None else base | {MARK: mark} | self._summaries[run].get("stages", {}))
        table = Table([self._rows[run] for run in ids])
        without_lineage = frozenset(run for run in ids if not self._summaries.get(run))
        added: dict[str, list[str | None]] = {MARK: marks} if shared else {}
        revisions = np.array([self._revisions[run] for run in ids], np.int64)
        allowed = domains(self._summaries.values())
        facts = [self._facts[run] for run in ids]
        return RunTable(ids, table, Table(stages), added, shared, allowed, without_lineage, revisions, facts)


def _with_annotations(runs: RunTable, annotations: Mapping[str, Annotation]) -> RunTable:
    """The table with what people have added."""
    added: dict[str, Sequence[Value | None]] = dict(runs.added)
    if annotations:
        per_run = [annotations.get(run, Annotation()) for run in runs.ids]
        added[NOTE] = [each.note or None for each in per_run]
        added[LABELS] = [", ".join(each.labels) or None for each in per_run]
    of_people = {name: values for name, values in added.items() if name in (NOTE, LABELS)}
    return replace(
        runs,
        table=runs.table.with_columns(added),
        pipelines=runs.pipelines.with_columns(of_people),
        annotations=annotations,
    )


def _plain_facts(facts: RunFacts) -> dict[str, Value]:
    return {
        RUN_NAME: facts.name,
        CREATED: facts.created_at,
        UPDATED: facts.updated_at,
        "dialects": facts.dialects,
        "bytes": facts.bytes,
    }


def _find_result_sources(
    facts: Mapping[str, RunFacts], summaries: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[tuple[str, str], str]]:
    """For each run with hyper-parameters the scalars that are its results (tag, group), and whose scalars they are.

    An experiment may say so for all sessions in the folders below its own.
    """
    experiments = {facts[run].name: each["metrics"] for run, each in summaries.items() if each.get("metrics")}
    if not experiments:
        return {}
    names = {each.name: run for run, each in facts.items()}
    sources: dict[str, dict[tuple[str, str], str]] = {}
    for run, summary in summaries.items():
        if not any(name.startswith("hparam/") for name in summary.get("values", {})):
            continue
        name = above = facts[run].name
        while above not in experiments and above != ".":
            above = above.rpartition("/")[0] or "."
        for metric in experiments.get(above, ()):
            owner = names.get(posixpath.normpath(posixpath.join(name, metric["group"])))
            if owner is not None:
                sources.setdefault(run, {})[metric["tag"], metric["group"]] = owner
    return sources


def _number_pipelines(hashes: Iterable[str | None]) -> tuple[list[str | None], dict[str, int]]:
    """Equal pipelines have equal numbers, given in the order of runs; and how many runs have each."""
    numbers: dict[str, str] = {}
    counts: dict[str, int] = {}
    marks: list[str | None] = []
    for each in hashes:
        mark = None if each is None else numbers.setdefault(each, str(len(numbers) + 1))
        marks.append(mark)
        if mark is not None:
            counts[mark] = counts.get(mark, 0) + 1
    return marks, counts
