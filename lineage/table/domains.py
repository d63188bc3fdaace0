"""Merge the domains (allowed values) of hyper-parameters over all experiments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Domain = list[Any] | dict[str, Any]  # choices, or min and max


def domains(summaries: Iterable[Mapping[str, Any]]) -> dict[str, Domain]:
    """By column; where experiments differ it is what any of them allows. Choices and ranges do not go together."""
    merged: dict[str, Domain | None] = {}
    for summary in summaries:
        for name, domain in summary.get("domains", {}).items():
            column = f"hparam/{name}"
            merged[column] = domain if column not in merged else _union(merged[column], domain)
    return {column: domain for column, domain in merged.items() if domain is not None}


def _union(one: Domain | None, other: Domain) -> Domain | None:
    if isinstance(one, list) and isinstance(other, list):
        return one if one == other else one + [choice for choice in other if choice not in one]
    if isinstance(one, dict) and isinstance(other, dict):
        return {"min": min(one["min"], other["min"]), "max": max(one["max"], other["max"])}
    return None
