"""Flatten a data pipeline into columns, one for each parameter of each operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mindinsight_like.lineage.columns import Value, as_text
from mindinsight_like.lineage.plain_values import as_value

_STRUCTURE = ("op_type", "op_module", "children", "operations", "sampler")


def stages(pipeline: Mapping[str, Any]) -> dict[str, Value]:
    """The parameters of all operators, sources last as in the pipeline; a repeated operator is numbered: `Map#2`."""
    columns: dict[str, Value] = {}
    counts: dict[str, int] = {}
    for operator in operators(pipeline):
        name = str(operator.get("op_type") or "operator")
        counts[name] = counts.get(name, 0) + 1
        stage = name if counts[name] == 1 else f"{name}#{counts[name]}"
        columns[stage] = True
        for parameter, value in operator.items():
            if parameter not in _STRUCTURE and (single := as_value(value)) is not None:
                columns[f"{stage}.{parameter}"] = single
        if operations := operator.get("operations"):
            columns[f"{stage}.operations"] = ", ".join(_call(each, "tensor_op_name") for each in operations)
        if sampler := operator.get("sampler"):
            columns[f"{stage}.sampler"] = _call(sampler, "sampler_name")
    return columns


def operators(pipeline: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every operator, each before those that feed it."""
    waiting = [pipeline]
    while waiting:
        operator = waiting.pop()
        yield operator
        waiting += reversed(operator.get("children") or [])


def _call(operation: Mapping[str, Any], name_key: str) -> str:
    """An augmentation or a sampler as people would write its call."""
    name = operation.get(name_key) or operation.get("op_type") or "operation"
    arguments = {key: as_value(value) for key, value in operation.items() if key != name_key}
    text = ", ".join(f"{key}={as_text(value)}" for key, value in arguments.items() if value is not None)
    return f"{name}({text})"
