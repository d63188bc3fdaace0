"""What to fix first among ranks: those that the others wait for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .advice import Advice


def rank_advice(figures: Sequence[Mapping[str, Any]], found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Advice as that of a single recording, from the figures of all ranks and what `stragglers.find` has found.

    Where steps are not known there is none: how much of them lateness costs cannot be said.
    """
    rule = "late_rank" if found["method"] == "collectives" else "slow_rank"
    return [_advice(rule, figures, each).told() for each in found["stragglers"] if figures[each["at"]]["duration"]]


def _advice(rule: str, figures: Sequence[Mapping[str, Any]], late: Mapping[str, Any]) -> Advice:
    figure = figures[late["at"]]
    share = late["late"] / figure["duration"]
    operators: list[dict[str, Any]] = [cause for cause in late["causes"] if cause["kind"] == "operator"]
    numbers = {
        "rank": figure["rank"],
        "ranks": len(figures),
        "steps": late["voted_steps"],
        "late": late["late"],
        "share": share,
        "operator": operators[0]["name"] if operators else "",
        "more": operators[0]["here"] - operators[0]["usual"] if operators else 0.0,
    }
    return Advice(rule, share, numbers, "cluster")
