"""Many ranks of one training beside each other: figures of each, steps, stages, stragglers, links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from mindinsight_like.profiler.traces.trace import NOT_GIVEN, NOTHING, Floats

from . import stragglers
from .columns import NS_PER_MS, Columns
from .rank_advice import rank_advice
from .steps import PARTS, average

MEASURES: Final = ("duration", *PARTS, "overlapped", "interval", "forward_backward", "tail")
_LONG_INTERVAL: Final = 1.2  # times the mean; MindInsight's borders, as the next one
_SLOW_LINK: Final = 0.8
_SAME_TRAINING: Final = 0.2  # of a step
_MOST_STEPS: Final = 2000
# What MindInsight's own averages are called.
_PHASES: Final = {"interval": "iteration_interval", "forward_backward": "fp_and_bp", "tail": "tail"}


def answer(ranks: Sequence[Columns], measure: str, numbers_of_ranks: Sequence[int | None] = ()) -> dict[str, Any]:
    """`{ranks, measure, steps, interval, stages, stragglers, advice, links}`; ranks in the given order, times in ms.

    `numbers_of_ranks`: where they are known better than from the recordings. Raises ValueError for a measure that is
    not known.
    """
    if measure not in MEASURES:
        raise ValueError(f"steps have no {measure}")
    numbers, durations = matrix(ranks, "duration")
    found = stragglers.find(ranks)
    figures = [_figures(columns) | {"lateness": late} for columns, late in zip(ranks, found.pop("ranks"), strict=True)]
    for each, number in zip(figures, numbers_of_ranks, strict=False):
        each["rank"] = each["rank"] if number is None else number
    slowest = _slowest(durations)
    for at, each in enumerate(figures):
        each["slowest_steps"] = slowest.count(at)
    shown = matrix(ranks, measure)[1] if measure != "duration" else durations
    chosen = np.unique(np.linspace(0, len(numbers) - 1, min(len(numbers), _MOST_STEPS)).astype(np.int64))
    if not len(numbers):
        chosen = chosen[:0]
    return {
        "ranks": figures,
        "measure": measure,
        "steps": {
            "total": len(numbers),
            "numbers": [int(numbers[at]) for at in chosen],
            "times": [[_known(value) for value in column] for column in shown[chosen].T.tolist()],
            "slowest": [slowest[at] for at in chosen],
        },
        "interval": _long_interval(figures, ranks),
        "stages": _stages(figures),
        **found,
        "advice": rank_advice(figures, found),
        "links": _links(ranks),
    }


def matrix(ranks: Sequence[Columns], measure: str) -> tuple[Any, Floats]:
    """Numbers of the whole steps of any rank, and for each of them (rows) the time of each rank; NaN for none. ms."""
    known = [columns.steps.number[~columns.steps.is_partial] for columns in ranks]
    numbers = np.unique(np.concatenate(known)) if known else np.empty(0, np.int64)
    times = np.full((len(numbers), len(ranks)), np.nan)
    for at, columns in enumerate(ranks):
        table = columns.steps
        if measure == "duration":
            values, is_known = table.end - table.begin, np.ones(len(table), np.bool_)
        elif measure in table.parts:
            values, is_known = table.part_times[:, table.parts.index(measure)], table.is_measured
        elif measure == "overlapped":
            values, is_known = table.overlapped, table.is_measured
        else:
            values = getattr(table, measure)
            is_known = values != NOT_GIVEN
        whole = np.flatnonzero(~table.is_partial & is_known)
        times[np.searchsorted(numbers, table.number[whole]), at] = values[whole] / NS_PER_MS
    return numbers, times


def _known(value: float) -> float | None:
    return None if value != value else value


def _figures(columns: Columns) -> dict[str, Any]:
    """Of one rank: means over its whole steps, and what MindInsight itself computed of it."""
    trace, means = columns.trace, average(columns.steps)
    told = _told_phases(trace.facts.get("average_step"), means.get("duration"))
    phases = told or {name: float(means[name]) for name in _PHASES if name in means}
    return {
        "rank": trace.rank,
        "host": trace.host,
        "device": trace.device,
        "stage": stragglers.stage_of(columns),
        "steps": len(columns.steps),
        "duration": means.get("duration"),
        "parts": means.get("parts", {}),
        "overlapped": means.get("overlapped"),
        "idle": _idle(means),
        **phases,
        "is_told": bool(told),
        **_told_communication(trace.facts.get("communication")),
    }


def _told_phases(told: Any, duration: float | None) -> dict[str, float]:
    """MindSpore's own averages over the whole training; none where they cannot be of a training with such steps."""
    if not isinstance(told, dict) or not all(theirs in told for theirs in _PHASES.values()):
        return {}
    phases = {name: float(told[theirs]) for name, theirs in _PHASES.items()}
    is_other = duration is not None and abs(sum(phases.values()) - duration) > _SAME_TRAINING * duration
    return {} if is_other else phases


def _idle(means: dict[str, Any]) -> float | None:
    return means["parts"]["other"] if means.get("parts") else None


def _told_communication(told: Any) -> dict[str, float]:
    """The profiler's own sums of communication and of waiting for it, of a mean step."""
    means = [each for each in told if each.get("step") == NOTHING] if isinstance(told, list) else []
    return {f"told_{name}": float(means[0][name]) for name in ("communication", "wait") if means and name in means[0]}


def _slowest(durations: Floats) -> list[int | None]:
    """For each step the position of the rank that took longest, where several have it."""
    several = np.count_nonzero(~np.isnan(durations), axis=1) > 1
    return [
        int(np.nanargmax(row)) if is_several else None
        for row, is_several in zip(durations, several.tolist(), strict=True)
    ]


def _long_interval(figures: Sequence[dict[str, Any]], ranks: Sequence[Columns]) -> dict[str, Any] | None:
    """MindInsight's rule: the rank with the longest interval between steps, and whether it is far above the mean."""
    known = [(each["interval"], at) for at, each in enumerate(figures) if each.get("interval") is not None]
    if len(known) < 2:
        return None
    mean = sum(value for value, _ in known) / len(known)
    worst, at = max(known)
    above = worst / mean - 1 if mean else 0.0
    is_long = above > _LONG_INTERVAL - 1
    why = stragglers.causes(ranks, at) if is_long else []
    return {"at": at, "interval": worst, "mean": mean, "above": above, "is_long": is_long, "causes": why}


def _stages(figures: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Stages of a pipeline: their ranks and the means over them."""
    found = []
    for stage in sorted({each["stage"] for each in figures if each["stage"] is not None}):
        of_stage = [each for each in figures if each["stage"] == stage]
        durations = [each["duration"] for each in of_stage if each["duration"] is not None]
        parts = [each["parts"] for each in of_stage if each["parts"]]
        found.append(
            {
                "stage": stage,
                "ranks": [each["rank"] for each in of_stage],
                "duration": sum(durations) / len(durations) if durations else None,
                "parts": {name: sum(each[name] for each in parts) / len(parts) for name in PARTS} if parts else {},
            }
        )
    return found


def _links(ranks: Sequence[Columns]) -> dict[str, Any]:
    """Traffic of a mean step as each rank recorded it; slow are links far below the mean bandwidth of their kind."""
    found: list[dict[str, Any]] = []
    for columns in ranks:
        links = columns.trace.links
        if links is None:
            continue
        means = np.flatnonzero(links.step == NOTHING)
        steps = max(len(np.unique(links.step)), 1) if not len(means) else 1
        sums: dict[tuple[int, int, str], list[float]] = {}
        for at in (means if len(means) else np.arange(len(links.step))).tolist():
            entry = sums.setdefault((int(links.source[at]), int(links.target[at]), links.kind[at]), [0.0, 0.0, 0.0])
            for column, value in enumerate((links.milliseconds, links.megabytes, links.gigabytes_per_second)):
                entry[column] += float(value[at])
        for (source, target, kind), (milliseconds, megabytes, told) in sums.items():
            # Of a single row as the profiler says it: it may have rounded the others.
            bandwidth = megabytes / milliseconds if not len(means) and milliseconds else told
            found.append(
                {
                    "rank": columns.trace.rank,
                    "source": source,
                    "target": target,
                    "kind": kind,
                    "milliseconds": milliseconds / steps,
                    "megabytes": megabytes / steps,
                    "gigabytes_per_second": bandwidth,
                }
            )
    means_of = {}
    for kind in {each["kind"] for each in found}:
        # Copies within a rank are no link.
        speeds = [each["gigabytes_per_second"] for each in found if each["kind"] == kind and not _is_inner(each)]
        means_of[kind] = sum(speeds) / len(speeds) if speeds else 0.0
    for each in found:
        each["is_slow"] = not _is_inner(each) and each["gigabytes_per_second"] < _SLOW_LINK * means_of[each["kind"]]
    return {"links": found, "means": means_of}


def _is_inner(link: dict[str, Any]) -> bool:
    return bool(link["source"] == link["target"])
