"""Columns of what is known of every run, lineage or not: its state, its times, and what people set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.lineage.columns import Column, NumberColumn, Value
from mindinsight_like.store.annotations import Annotation

from .run_table import LABELS, NOTE, RunTable

STATE: Final = "state"
DURATION: Final = "duration"  # seconds
_NOTHING_ADDED = Annotation()


def fact_columns(runs: RunTable, first_project: str) -> Mapping[str, Callable[[], Column]]:
    """Columns by name, each made when it is called; `first_project`: name of the base dir whose runs have no prefix."""
    if not runs.ids:
        return {}
    columns: dict[str, Callable[[], Column]] = {
        STATE: lambda: Column(STATE, [each.status.state for each in runs.facts]),
        DURATION: lambda: number_column(DURATION, [each.status.duration for each in runs.facts]),
        "started_at": lambda: number_column("started_at", [each.status.started_at for each in runs.facts]),
        "ended_at": lambda: number_column("ended_at", [each.status.ended_at for each in runs.facts]),
        "last_activity": lambda: number_column("last_activity", [each.status.active_at for each in runs.facts]),
        "progress": lambda: number_column("progress", [each.status.fraction for each in runs.facts]),
        "exit_reason": lambda: _texts("exit_reason", [each.status.exit_reason for each in runs.facts]),
        "display_name": lambda: _texts("display_name", _display_names(runs)),
    }
    if any(each.project for each in runs.facts):
        columns["project"] = lambda: _texts("project", [each.project or first_project for each in runs.facts])
    if any(each.settings.owner for each in runs.annotations.values()):
        columns["owner"] = lambda: _texts("owner", [annotation_of(runs, run).settings.owner for run in runs.ids])
    if not runs.annotations:  # else they are among the recorded columns
        columns |= {name: lambda name=name: _texts(name, [""] * len(runs.ids)) for name in (LABELS, NOTE)}  # type: ignore[misc]
    return columns


def annotation_of(runs: RunTable, run: str) -> Annotation:
    """What people have added to a run."""
    return runs.annotations.get(run, _NOTHING_ADDED)


def display_name(runs: RunTable, place: int) -> str:
    """The name that people gave a run, else that its writer gave it; usually empty."""
    return annotation_of(runs, runs.ids[place]).settings.name or runs.facts[place].display_name


def shown_rows(runs: RunTable, show: str) -> NDArray[np.bool_]:
    """Mask of the runs that are `active`, `archived` or `hidden`; of `all` every one."""
    left_out = {
        row: each.settings
        for run, each in runs.annotations.items()
        if each.settings.is_left_out and (row := runs.places.get(run)) is not None and runs.ids[row] == run
    }
    if show in ("all", "active"):
        mask = np.ones(len(runs.ids), bool)
        if show == "active":
            mask[list(left_out)] = False
        return mask
    mask = np.zeros(len(runs.ids), bool)
    mask[[row for row, each in left_out.items() if (each.is_archived if show == "archived" else each.is_hidden)]] = True
    return mask


def _display_names(runs: RunTable) -> list[str]:
    names = [each.display_name for each in runs.facts]
    for run, each in runs.annotations.items():
        if each.settings.name and (row := runs.places.get(run)) is not None and runs.ids[row] == run:
            names[row] = each.settings.name
    return names


def number_column(name: str, values: Sequence[float | None]) -> Column:
    """A column of real numbers, None where a row has none."""
    numbers = np.array(values, np.float64)  # None becomes NaN
    return NumberColumn(name, numbers, np.array([value is not None for value in values], bool))


def _texts(name: str, values: Sequence[str]) -> Column:
    column: list[Value | None] = [value or None for value in values]
    return Column(name, column)
