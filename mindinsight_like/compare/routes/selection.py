"""Selection of the runs to compare: those that match a rule, those named by id, minus those excluded."""

from __future__ import annotations

from collections.abc import Mapping

from mindinsight_like.compare.patterns import NamePattern
from mindinsight_like.errors import RunNotFound
from mindinsight_like.http.parameters import Params, Repeated, text, words
from mindinsight_like.lineage.query.parser import RUN_NAME
from mindinsight_like.lineage.query.search import matching_rows
from mindinsight_like.lineage.routes.tables import QUERY, WHERE
from mindinsight_like.lineage.table.run_table import CREATED, RunTable
from mindinsight_like.store.annotations import Annotation

RUNS = Repeated("runs", "IDs of runs.")
SEARCH = words("search", "Only runs whose name contains every one of these words, ignoring case.")
PATTERN = text("pattern", "Only runs whose name matches this regular expression somewhere.")
LABELS = Repeated("labels", "Only runs with at least one of these labels.")
WITHOUT = Repeated("without", "IDs of runs to leave out.")

RULES = (QUERY, WHERE, SEARCH, PATTERN, LABELS)
"""They all hold together. Without any of them, and without ids, all runs are found."""

SELECTION = (RUNS, *RULES, WITHOUT)


def selected_rows(params: Params, table: RunTable, annotations: Mapping[str, Annotation]) -> list[int]:
    """The rows of the runs that were asked for, those of a rule first; raises RunNotFound, BadParameter."""
    ids: list[str] = params[RUNS]
    for run in ids:
        if run not in table.places:
            raise RunNotFound(f"no run with id {run!r}", run=run)
    is_by_rule = not params.has(RUNS) or any(params.has(rule) for rule in RULES)
    rows = rows_by_rule(params, table, annotations) if is_by_rule else []
    left_out: list[str] = params[WITHOUT]
    without = set(left_out)
    together = dict.fromkeys([*rows, *(table.places[run] for run in ids)])
    return [row for row in together if table.ids[row] not in without]


def rows_by_rule(params: Params, table: RunTable, annotations: Mapping[str, Annotation]) -> list[int]:
    """The rows of the runs that the rule finds, newest first, without archived and hidden ones; raises BadParameter."""
    rows: list[int] = matching_rows(table.table, query=params[QUERY], where=params[WHERE], sort=f"-{CREATED}").tolist()
    rows = [row for row in rows if not annotations.get(table.ids[row], Annotation()).settings.is_left_out]
    if not rows:
        return rows
    names = table.table.column(RUN_NAME).values
    if words := params[SEARCH].lower().split():
        rows = [row for row in rows if all(word in str(names[row]).lower() for word in words)]
    if params[PATTERN]:
        pattern = NamePattern(params[PATTERN], parameter=PATTERN.name)
        is_match = pattern.matched([str(names[row]) for row in rows])
        rows = [row for place, row in enumerate(rows) if is_match[place]]
    labels: list[str] = params[LABELS]
    if labels:
        label_set = set(labels)
        rows = [row for row in rows if not label_set.isdisjoint(annotations.get(table.ids[row], Annotation()).labels)]
    return rows
