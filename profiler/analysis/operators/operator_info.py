"""Short names of operators, and the format, data type and shape of their inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns.columns import Columns
from mindinsight_like.profiler.analysis.columns.tables import Table
from mindinsight_like.profiler.traces.trace import NOTHING


def short_name(name: str) -> str:
    """The operator of `Default/network/conv1/Conv2D-op8`; a name without scopes as it is."""
    return name.rpartition("/")[2] if "/" in name and "://" not in name else name


def columns_for(columns: Columns, names: NDArray[Any]) -> Table:
    """Columns `short_name` and `info` of operators whose names have scopes; none of them where no name has."""
    if not has_scopes(names):
        return {}
    short = np.array([short_name(name) for name in names], object)
    info_by_name = _info_by_name(columns)
    info = np.array([info_by_name.get(name, "") for name in names], object)
    return {"short_name": short, **({"info": info} if any(info) else {})}


def has_scopes(names: Iterable[str]) -> bool:
    """Whether any of them is more than its operator."""
    return any(short_name(name) != name for name in names)


def _info_by_name(columns: Columns) -> dict[str, str]:
    """By full name, as the tool noted it; else the shapes of inputs, where all executions agree."""
    texts, groups = columns.trace.texts, columns.groups
    shapes: dict[int, set[int]] = {}
    for name, shape in zip(groups.name.tolist(), groups.shape.tolist(), strict=True):
        shapes.setdefault(name, set()).add(shape)
    info_by_name = {
        texts[name]: texts[min(own)] for name, own in shapes.items() if len(own) == 1 and min(own) != NOTHING
    }
    sums = columns.trace.operator_sums
    for full_name, details in zip(sums.full_name, sums.details, strict=True) if sums is not None else ():
        if isinstance(op_info := details.get("op_info"), dict) and op_info:
            info_by_name[full_name] = "; ".join(f"{part}: {_described(what)}" for part, what in op_info.items())
    return info_by_name


def _described(what: Any) -> str:
    """Data type, shape and format of one input or output."""
    if not isinstance(what, dict):
        return str(what)
    type, shape, form = (str(what.get(key, "")) for key in ("data_type", "shape", "format"))
    words = [type.removeprefix("NUMBER_TYPE_").lower(), f"[{shape.strip('[]')}]" if shape else "", form]
    return " ".join(word for word in words if word)
