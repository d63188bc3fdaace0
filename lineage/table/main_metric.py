"""Guess the metric by which runs are judged, from the names of columns and how many runs have them."""

from __future__ import annotations

from dataclasses import dataclass

from mindinsight_like.lineage.fields.metrics import direction_of, is_plain, split_rank
from mindinsight_like.lineage.fields.names import scalar_column, scalar_tag
from mindinsight_like.lineage.fields.rules import Direction
from mindinsight_like.lineage.query.search import group_of

from .united_table import UnitedTable

_CANDIDATE_TAGS = 500  # those that most runs have


@dataclass(frozen=True)
class MainMetric:
    column: str
    tag: str  # the scalar that shows its course; empty if there is none
    direction: Direction
    is_guess: bool


def metric_columns(table: UnitedTable) -> list[str]:
    """Columns that are results: fields first, then recorded metrics and scalars whose names sound like one; best first.

    What a field shows is not repeated.
    """
    fields = [name for name, each in table.fields.items() if each.rule.group == "metric"]
    recorded = [name for name in table.names if group_of(name) == "metric" and name not in table.fields]
    scalars = [scalar_column(tag) for tag in list(table.tags)[:_CANDIDATE_TAGS]]
    hidden = table.repeated
    names = [*fields, *(name for name in (*recorded, *scalars) if name not in hidden and direction(table, name))]
    order = {name: place for place, name in enumerate(names)}
    return sorted(order, key=lambda name: (-_score(table, name), order[name]))


def guess(table: UnitedTable) -> MainMetric | None:
    """The first of these that has a direction; None without any."""
    names = [name for name in metric_columns(table) if direction(table, name)]
    if not names:
        return None
    return MainMetric(names[0], course_of(table, names[0]), direction(table, names[0]), is_guess=True)


def direction(table: UnitedTable, name: str) -> Direction:
    """Which end of a column is better, by the rule of the field or by the name."""
    field = table.fields.get(name)
    return field.rule.direction if field is not None and field.rule.direction else direction_of(name)


def course_of(table: UnitedTable, name: str) -> str:
    """The scalar whose curve leads to a metric: of several the one that most runs have."""
    if tag := scalar_tag(name):
        return tag
    field = table.fields.get(name)
    sources = [tag for each in (field.all if field is not None else ()) if (tag := scalar_tag(each))]
    if not sources:  # a recorded result: the scalar that is called so
        rest = name.partition("/")[2]
        sources = [rest] if rest in table.tags else []
    return max(sources, key=lambda tag: table.tags.get(tag, 0), default="")


def _score(table: UnitedTable, name: str) -> float:
    """How well a column serves: many runs, held-out data, a measure that people speak of rather than a loss."""
    field, tag = table.fields.get(name), scalar_tag(name)
    runs = table.tags.get(tag, 0) if tag and field is None else table.column(name).count
    split = split_rank(name) if field is None else 2 * field.rule.is_held_out
    return (
        runs / max(len(table), 1)
        + 0.15 * split
        + 0.15 * (direction(table, name) == "max")
        + 0.1 * (field is not None)
        - 0.2 * (field is None and not is_plain(name))
    )
