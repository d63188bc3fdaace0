"""The table of all runs with their lineage, kept in memory by each process and renewed run by run."""

from __future__ import annotations

import posixpath
import threading
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mindinsight_like.store.annotations import Annotation, Annotations
from mindinsight_like.store.answers import RunFacts
from mindinsight_like.store.reading import IndexReader

from .columns import Table, Value
from .domains import domains
from .neighbourhood import LineageGraph
from .query_text import RUN_NAME
from .record import summary_from_text

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
    bare: frozenset[str]  # runs of which no more is known than what their files are

    @cached_property
    def places(self) -> dict[str, int]:
        """The row of each run."""
        return {run: place for place, run in enumerate(self.ids)}

    def with_rows(self, rows: Mapping[str, Mapping[str, Value]]) -> RunTable:
        """The same runs, some of them with other values."""
        return replace(self, table=self.table.with_rows({self.places[run]: row for run, row in rows.items()}))


class RunTables:
    """Gives the table as it is now; any number of threads may ask."""

    def __init__(self, reader: IndexReader, annotations: Annotations) -> None:
        self.reader = reader
        self._annotations = annotations
        self._lock = threading.Lock()
        self._cursor = 0
        self._facts: dict[str, RunFacts] = {}
        self._summaries: dict[str, dict[str, Any]] = {}
        self._measured: dict[str, dict[tuple[str, str], str]] = {}
        self._rows: dict[str, dict[str, Value]] = {}
        self._graph: LineageGraph | None = None
        self._plain: RunTable | None = None  # without annotations
        self._made: tuple[tuple[int, int], RunTable] | None = None

    def state(self) -> tuple[int, int]:
        """What the table depends on; equal states, equal tables."""
        return self.reader.cursor(), self._annotations.version()

    def get(self) -> RunTable:
        with self._lock:
            state = self.state()
            if self._made is None or self._made[0] != state:
                plain = self._renewed(state[0])
                self._made = state, _annotated(plain, self._annotations.of_runs())
            return self._made[1]

    def graph(self) -> LineageGraph:
        """Where runs come from and what came of them, as the table is now."""
        self.get()
        with self._lock:
            if self._graph is None:
                self._graph = LineageGraph({run: each.name for run, each in self._facts.items()}, dict(self._summaries))
            return self._graph

    def _renewed(self, cursor: int) -> RunTable:
        """The table with what the index has learned since the last time."""
        if self._plain is not None and cursor == self._cursor:
            return self._plain
        since = self._cursor
        if self._plain is None or cursor < since:  # the index was made anew
            since, self._facts, self._summaries, self._rows, self._plain = 0, {}, {}, {}, None
        removed = [run for run in self.reader.changes(since).removed if run in self._facts]
        changed = {each.id: each for each in self.reader.run_facts(since)}
        summaries = self.reader.lineage_summaries(since)
        has_same_runs = not removed and changed.keys() <= self._facts.keys()
        self._facts |= changed
        self._summaries |= {run: summary_from_text(text) for run, text in summaries.items() if text}
        for run in removed:
            del self._facts[run], self._rows[run]
            self._summaries.pop(run, None)
        if not has_same_runs or summaries:
            self._measured, self._graph = _measured(self._facts, self._summaries), None
        affected = self._refresh_rows(changed.keys() | summaries.keys())
        self._cursor = cursor
        if self._plain is not None and has_same_runs and not summaries:
            self._plain = self._plain.with_rows({run: self._rows[run] for run in affected})
        else:
            self._plain = self._made_anew()
        return self._plain

    def _refresh_rows(self, changed: Set[str]) -> list[str]:
        """Make the rows of changed runs, and of runs whose results are the scalars of those."""
        affected = [run for run in changed if run in self._facts]
        affected += [
            run
            for run, wanted in self._measured.items()
            if run not in changed and not changed.isdisjoint(wanted.values())
        ]
        found = self._metrics({run: self._measured[run] for run in affected if run in self._measured})
        for run in affected:
            values: dict[str, Value] = self._summaries.get(run, {}).get("values", {})
            self._rows[run] = _plain_facts(self._facts[run]) | values | found.get(run, {})
        return affected

    def _metrics(self, measured: Mapping[str, Mapping[tuple[str, str], str]]) -> dict[str, dict[str, Value]]:
        """The last values of the scalars that experiments name as their results."""
        runs = list(dict.fromkeys(owner for wanted in measured.values() for owner in wanted.values()))
        tags = list(dict.fromkeys(tag for wanted in measured.values() for tag, _ in wanted))
        last = self.reader.last_scalars(runs, tags) if runs else {}
        found: dict[str, dict[str, Value]] = {}
        for run, wanted in measured.items():
            for (tag, group), owner in wanted.items():
                value = last.get(owner, {}).get(tag)
                if value is not None:
                    found.setdefault(run, {})[f"metric/{group}/{tag}" if group else f"metric/{tag}"] = value
        return found

    def _made_anew(self) -> RunTable:
        ids = sorted(self._rows, key=lambda run: self._facts[run].name)
        marks, shared = _marks(self._summaries.get(run, {}).get("pipeline") for run in ids)
        stages: list[Mapping[str, Value]] = []
        for run, mark in zip(ids, marks, strict=True):
            base: dict[str, Value] = {RUN_NAME: self._facts[run].name}
            stages.append(base if mark is None else base | {MARK: mark} | self._summaries[run].get("stages", {}))
        table = Table([self._rows[run] for run in ids])
        bare = frozenset(run for run in ids if not self._summaries.get(run))
        added: dict[str, list[str | None]] = {MARK: marks} if shared else {}
        return RunTable(ids, table, Table(stages), added, shared, domains(self._summaries.values()), bare)


def _annotated(runs: RunTable, annotations: Mapping[str, Annotation]) -> RunTable:
    """The table with what people have added."""
    added: dict[str, Sequence[Value | None]] = dict(runs.added)
    if annotations:
        found = [annotations.get(run, Annotation()) for run in runs.ids]
        added[NOTE] = [each.note or None for each in found]
        added[LABELS] = [", ".join(each.labels) or None for each in found]
    of_people = {name: values for name, values in added.items() if name in (NOTE, LABELS)}
    return replace(runs, table=runs.table.with_columns(added), pipelines=runs.pipelines.with_columns(of_people))


def _plain_facts(facts: RunFacts) -> dict[str, Value]:
    return {
        RUN_NAME: facts.name,
        CREATED: facts.created_at,
        UPDATED: facts.updated_at,
        "dialects": facts.dialects,
        "bytes": facts.bytes,
    }


def _measured(
    facts: Mapping[str, RunFacts], summaries: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[tuple[str, str], str]]:
    """For each run with hyper-parameters the scalars that are its results (tag, group), and whose scalars they are.

    An experiment may say so for all sessions in the folders below its own.
    """
    experiments = {facts[run].name: each["metrics"] for run, each in summaries.items() if each.get("metrics")}
    if not experiments:
        return {}
    names = {each.name: run for run, each in facts.items()}
    found: dict[str, dict[tuple[str, str], str]] = {}
    for run, summary in summaries.items():
        if not any(name.startswith("hparam/") for name in summary.get("values", {})):
            continue
        name = above = facts[run].name
        while above not in experiments and above != ".":
            above = above.rpartition("/")[0] or "."
        for metric in experiments.get(above, ()):
            owner = names.get(posixpath.normpath(posixpath.join(name, metric["group"])))
            if owner is not None:
                found.setdefault(run, {})[metric["tag"], metric["group"]] = owner
    return found


def _marks(hashes: Iterable[str | None]) -> tuple[list[str | None], dict[str, int]]:
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
