"""A pipeline of data processing as columns: one for each parameter of each operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .columns import Value, as_text
from .plain_values import as_value

_STRUCTURE = ("op_type", "op_module", "children", "operations", "sampler")


def stages(pipeline: Mapping[str, Any]) -> dict[str, Value]:
    """The parameters of all operators, sources last as in the pipeline; a repeated operator is numbered: `Map#2`."""
    found: dict[str, Value] = {}
    seen: dict[str, int] = {}
    for operator in operators(pipeline):
        name = str(operator.get("op_type") or "operator")
        seen[name] = seen.get(name, 0) + 1
        stage = name if seen[name] == 1 else f"{name}#{seen[name]}"
        found[stage] = True
        for parameter, value in operator.items():
            if parameter not in _STRUCTURE and (single := as_value(value)) is not None:
                found[f"{stage}.{parameter}"] = single
        if operations := operator.get("operations"):
            found[f"{stage}.operations"] = ", ".join(_call(each, "tensor_op_name") for each in operations)
        if sampler := operator.get("sampler"):
            found[f"{stage}.sampler"] = _call(sampler, "sampler_name")
    return found


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
    given = {key: as_value(value) for key, value in operation.items() if key != name_key}
    shown = ", ".join(f"{key}={as_text(value)}" for key, value in given.items() if value is not None)
    return f"{name}({shown})"
