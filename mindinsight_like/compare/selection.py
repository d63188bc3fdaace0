"""Which runs are compared: those a rule finds, those given by id, less those left out."""

from __future__ import annotations

from collections.abc import Mapping

from mindinsight_like.compare.patterns import NamePattern
from mindinsight_like.errors import RunNotFound
from mindinsight_like.lineage.queries import matching
from mindinsight_like.lineage.query_text import RUN_NAME
from mindinsight_like.lineage.run_table import CREATED, RunTable
from mindinsight_like.lineage.table_routes import QUERY, WHERE
from mindinsight_like.store.annotations import Annotation
from mindinsight_like.web.parameters import Given, Repeated, text

RUNS = Repeated("runs", "Ids of runs.")
SEARCH = text("search", "Words that the names of runs contain, in upper or lower case.")
PATTERN = text("pattern", "A regular expression that the names of runs match somewhere.")
LABELS = Repeated("labels", "Labels, one of which runs have.")
WITHOUT = Repeated("without", "Ids of runs that are left out.")

RULES = (QUERY, WHERE, SEARCH, PATTERN, LABELS)
"""They all hold together. Without any of them, and without ids, all runs are found."""

SELECTION = (RUNS, *RULES, WITHOUT)


def chosen_rows(given: Given, table: RunTable, annotations: Mapping[str, Annotation]) -> list[int]:
    """The rows of the runs that were asked for, those of a rule first; raises RunNotFound, BadParameter."""
    ids: list[str] = given[RUNS]
    for run in ids:
        if run not in table.places:
            raise RunNotFound(f"there is no run with the id {run!r}", run=run)
    is_by_rule = not given.has(RUNS) or any(given.has(rule) for rule in RULES)
    rows = found_rows(given, table, annotations) if is_by_rule else []
    left_out: list[str] = given[WITHOUT]
    without = set(left_out)
    together = dict.fromkeys([*rows, *(table.places[run] for run in ids)])
    return [row for row in together if table.ids[row] not in without]


def found_rows(given: Given, table: RunTable, annotations: Mapping[str, Annotation]) -> list[int]:
    """The rows of the runs that the rule finds, the newest first; raises BadParameter."""
    rows: list[int] = matching(table.table, query=given[QUERY], where=given[WHERE], sort=f"-{CREATED}").tolist()
    if not rows:
        return rows
    names = table.table.column(RUN_NAME).values
    if words := given[SEARCH].lower().split():
        rows = [row for row in rows if all(word in str(names[row]).lower() for word in words)]
    if given[PATTERN]:
        pattern = NamePattern(given[PATTERN], parameter=PATTERN.name)
        is_match = pattern.matched([str(names[row]) for row in rows])
        rows = [row for place, row in enumerate(rows) if is_match[place]]
    labels: list[str] = given[LABELS]
    if labels:
        wanted = set(labels)
        rows = [row for row in rows if not wanted.isdisjoint(annotations.get(table.ids[row], Annotation()).labels)]
    return rows
