"""Sums by operator and type from the tables of profilers, under all known column names."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.trace import NOT_GIVEN, Floats, Longs, Loss, OperatorSums, Trace, TypeSums

from .raw_texts import type_from_name
from .tables import Table

_NANOSECONDS: Final = {"ns": 1.0, "us": 1e3, "ms": 1e6}
_FULL_NAMES: Final = ("full_kernel_name", "full_kernel_time", "full_op_name", "op_full_name", "op_name", "name")
_TYPES: Final = ("kernel_type", "op_type", "type", "node_type_name")
_COUNTS: Final = ("op_occurrences", "occurrences", "execution_frequency", "count", "call_count")
_TOTALS: Final = ("op_total_time", "total_duration", "total_time", "total time")
_AVERAGES: Final = ("op_avg_time", "avg_duration", "avg_execution_time", "execution_time", "avg_time", "avg time")
_SHORTEST: Final = ("min_duration", "min time")
_LONGEST: Final = ("max_duration", "max time")
_MOST_DETAILS: Final = 200_000


def unit_of(header: str | None, otherwise: str) -> float:
    """Nanoseconds in the unit that a header tells."""
    for unit, nanoseconds in _NANOSECONDS.items():
        if header is not None and f"({unit}" in header:
            return nanoseconds
    return _NANOSECONDS[otherwise]


def _times(table: Table, headers: tuple[str, ...], unit: str) -> Floats | None:
    header = table.find(*headers)
    return None if header is None else table.numbers(header) * unit_of(header, unit)


def add_operator_sums(
    trace: Trace,
    table: Table,
    side: str,
    unit: str,
    types: dict[str, str] | None = None,
    details: dict[str, dict[str, Any]] | None = None,
) -> dict[str, str]:
    """Adds the rows of a table of operators to the trace; gives the type of each full name."""
    header = table.find(*_FULL_NAMES)
    full_names = table.needed(*_FULL_NAMES)
    totals, averages = _times(table, _TOTALS, unit), _times(table, _AVERAGES, unit)
    has_counts = table.find(*_COUNTS) is not None
    # Tables of the first releases have the time per step only.
    counts = table.integers(*_COUNTS, missing=0) if has_counts else np.ones(table.rows, np.int64)
    if totals is None:
        with np.errstate(invalid="ignore"):  # what is no number is told below
            totals = (averages if averages is not None else np.full(table.rows, np.nan)) * counts
    type_column = table.find(*_TYPES)
    known_types = types or {}
    if type_column is not None and type_column != header:
        type_names = table.texts(type_column)
    else:
        type_names = [known_types.get(name) or type_from_name(name) for name in full_names]
    usable = np.isfinite(totals) & (totals >= 0) & (counts >= 0)
    _tell(trace, table, usable)
    rows = np.flatnonzero(usable).tolist()
    shortest, longest = _times(table, _SHORTEST, unit), _times(table, _LONGEST, unit)
    sides = table.texts("op_side", missing=side)
    extra = _details(table, rows, full_names, details or {})
    new = OperatorSums(
        [full_names[row].rpartition("/")[2] if "/" in full_names[row] else full_names[row] for row in rows],
        [full_names[row] for row in rows],
        [type_names[row] for row in rows],
        [_side(sides[row], side) for row in rows],
        counts[usable],
        totals[usable],
        _or_unknown(shortest, usable),
        _or_unknown(longest, usable),
        extra,
    )
    trace.operator_sums = _joined(trace.operator_sums, new)
    return dict(zip(full_names, type_names, strict=True))


def add_type_sums(trace: Trace, table: Table, side: str, unit: str, sides: list[str] | None = None) -> None:
    """Adds the rows of a table of types to the trace."""
    types = table.needed(*_TYPES)
    totals = _times(table, ("total_time", "total_compute_time", "execution_time", "total time"), unit)
    if totals is None:
        raise ValueError("it has no column with total times")
    counts = table.integers("type_occurrences", "execution_frequency", "count", missing=0)
    shares = table.numbers("percent", "total_percent", "proportion", "ratio(%)", "ratio", missing=0.0)
    usable = np.isfinite(totals) & (totals >= 0)
    _tell(trace, table, usable)
    # Some releases write fractions of 1, others percent, under the same name.
    usable_shares = shares[usable]
    shares = np.where(np.isfinite(usable_shares), usable_shares, 0.0)
    if shares.sum() > 1.5:
        shares = shares / 100
    new = TypeSums(
        [type_ for type_, is_usable in zip(types, usable.tolist(), strict=True) if is_usable],
        [
            row_side or side
            for row_side, is_usable in zip(sides or [side] * len(types), usable.tolist(), strict=True)
            if is_usable
        ],
        counts[usable],
        totals[usable],
        shares,
    )
    old = trace.type_sums
    trace.type_sums = (
        new
        if old is None
        else TypeSums(
            old.type + new.type,
            old.side + new.side,
            np.concatenate([old.count, new.count]),
            np.concatenate([old.total, new.total]),
            np.concatenate([old.share, new.share]),
        )
    )


def _side(name: str, otherwise: str) -> str:
    """The side of an operator; tables of CPUs and GPUs name the processor, or only that it is the host's."""
    return {"Host": "Host CPU", "cpu": "Host CPU", "Device": otherwise, "gpu": "GPU"}.get(name, name or otherwise)


def _tell(trace: Trace, table: Table, usable: NDArray[np.bool_]) -> None:
    lost = int((~usable).sum()) + int(table.is_cut)
    if lost:
        trace.losses.append(Loss("rows without a valid time", lost, table.name))


def _or_unknown(times: Floats | None, usable: NDArray[np.bool_]) -> Floats:
    if times is None:
        return np.full(int(usable.sum()), float(NOT_GIVEN))
    usable_times: Floats = np.where(np.isfinite(times), times, float(NOT_GIVEN))[usable]
    return usable_times


def _details(
    table: Table, rows: list[int], full_names: list[str], details_by_name: dict[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """Cells that are no sums, for those who look at one operator."""
    sum_headers = {
        table.find(*group) for group in (_FULL_NAMES, _TYPES, _COUNTS, _TOTALS, _AVERAGES, _SHORTEST, _LONGEST)
    }
    headers = [header for header in table.columns if header not in sum_headers and header not in ("op_side", "op_name")]
    if len(rows) > _MOST_DETAILS:
        headers = []
    return [
        {header: table.columns[header][row] for header in headers if table.columns[header][row]}
        | details_by_name.get(full_names[row], {})
        for row in rows
    ]


def _joined(old: OperatorSums | None, new: OperatorSums) -> OperatorSums:
    if old is None:
        return new

    def both(a: Longs | Floats, b: Longs | Floats) -> Any:
        return np.concatenate([a, b])

    return OperatorSums(
        old.name + new.name,
        old.full_name + new.full_name,
        old.type + new.type,
        old.side + new.side,
        both(old.count, new.count),
        both(old.total, new.total),
        both(old.shortest, new.shortest),
        both(old.longest, new.longest),
        old.details + new.details,
    )
