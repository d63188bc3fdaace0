"""One value per run and tag, and how far it is from a baseline's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mindinsight_like.store.reading import IndexReader

REDUCTIONS = ("last", "min", "max")


@dataclass(frozen=True)
class Measured:
    values: dict[str, float]  # by tag, those there are
    differences: dict[str, float | None]  # in percent of the baseline's, None where that says nothing


def differences(
    reader: IndexReader, runs: Sequence[str], tags: Sequence[str], of: str, baseline: str
) -> dict[str, Measured]:
    """The values of the runs, and their distance from the baseline's where there is one; raises RunNotFound."""
    asked = list(dict.fromkeys([*runs, *([baseline] if baseline else [])]))
    summaries = reader.scalar_summaries(asked, tags) if asked else {}
    field = "last_value" if of == "last" else of
    values = {
        run: {tag: value for tag, each in summaries.get(run, {}).items() if (value := getattr(each, field)) is not None}
        for run in asked
    }
    base = values.get(baseline, {})
    return {
        run: Measured(
            values[run],
            {tag: percent(value, base.get(tag)) for tag, value in values[run].items()} if baseline else {},
        )
        for run in runs
    }


def percent(value: float, base: float | None) -> float | None:
    """How far a value is above a base, in percent of it."""
    if base is None or base == 0 or base != base or value != value:
        return None
    return (value - base) / abs(base) * 100.0
