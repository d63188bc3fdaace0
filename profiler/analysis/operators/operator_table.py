"""Operator tables as they are returned: rows, columns, totals of each side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypedDict

from mindinsight_like.profiler.analysis.columns.tables import TableColumn


class SideTotals(TypedDict):
    """Sums over all operators of a side, such as `host` or `device`; milliseconds."""

    side: str
    total: float
    self: float
    count: int


class _OperatorFigures(TypedDict):
    side: str
    type: str
    total: Annotated[float, "Milliseconds, as all times of the row."]
    self: Annotated[float, "Without the operators called inside."]
    share: Annotated[float, "Self time as a share of that of its side, or of the selection; 0 to 1."]


class OperatorRow(_OperatorFigures, total=False):
    """Operators of one type, name or shape, or a single execution; `columns` lists the fields that are there."""

    name: str
    short_name: Annotated[str, "The name without its scopes."]
    shape: Annotated[str, "Shapes of the inputs."]
    info: Annotated[str, "Data types, shapes and formats of inputs and outputs."]
    count: Annotated[int, "Number of executions."]
    mean: float
    min: float | None
    max: float | None
    row: Annotated[int, "The slice, for a single execution."]
    track: Annotated[int, "The track of that slice."]
    start: Annotated[float, "Start, milliseconds after the origin of the profile."]
    device_total: Annotated[float, "Device work launched by the operator and by those called inside."]
    device_self: Annotated[float, "Device work launched by the operator itself."]
    kernels: Annotated[int, "Number of kernels launched."]
    flops: Annotated[float | None, "Floating point operations; null where no rule applies."]
    tflops: Annotated[float | None, "Floating point operations per second, in 10^12."]
    flops_rule: Annotated[str, "The rule by which they were counted."]
    utilisation: Annotated[float | None, "Share of the peak of the device; 0 to 1."]
    peak: Annotated[str, "That peak."]


@dataclass(frozen=True, kw_only=True)
class OperatorTable:
    """A page of an operator table; times are milliseconds."""

    total: Annotated[int, "Number of rows before pagination."]
    sides: list[SideTotals]
    columns: list[TableColumn]
    rows: list[OperatorRow]
