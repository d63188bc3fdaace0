"""FLOPs of a whole profile and the device utilisation of its steps."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns.columns import LAYER_SIDE, SIDES, Columns
from mindinsight_like.profiler.analysis.columns.repeats import is_counted
from mindinsight_like.profiler.traces.trace import Floats

from . import flops, utilisation

_DEVICE_SIDE: Final = SIDES.index("device")
_HOST_SIDE: Final = SIDES.index("host")


class FlopsSummary(TypedDict):
    """Floating point operations of a whole recording."""

    total: float
    rate: Annotated[float | None, "Per second."]
    utilisation: Annotated[float | None, "Share of `peak`; 0 to 1."]
    peak: str | None
    source: Annotated[Literal["tool", "shapes"], "Who counted: the tool itself, or rules by the shapes of inputs."]
    coverage: Annotated[float | None, "Share of computing time that `total` is of; null where the tool counted."]


def summary(columns: Columns) -> FlopsSummary | None:
    """What the tool itself summed up, else an estimate from operators with a rule; None where there is neither."""
    reported = columns.trace.facts.get("flops_summary")
    if isinstance(reported, dict) and isinstance(reported.get("FLOPs"), (int, float)) and reported["FLOPs"] > 0:
        rate, share = reported.get("FLOPS"), reported.get("FLOPS_Utilization")
        return {
            "total": reported["FLOPs"] * 1e6,
            "rate": rate * 1e9 if isinstance(rate, (int, float)) else None,
            "utilisation": share / 100 if isinstance(share, (int, float)) else None,
            "peak": None,
            "source": "tool",
            "coverage": None,
        }
    groups = columns.groups
    operations, _ = flops.of_groups(columns, groups)
    operations[groups.side == LAYER_SIDE] = np.nan
    estimated = np.flatnonzero(~np.isnan(operations))
    total = float((operations[estimated] * groups.count[estimated]).sum())
    if not total:
        return None
    time = int(
        np.where(groups.device_total[estimated] > 0, groups.device_total[estimated], groups.total[estimated]).sum()
    )
    rate = total / (time / 1e9) if time else None
    reached, peak = _of_steps(columns, operations) or (None, None)
    coverage = _coverage(columns, estimated)
    return {
        "total": total,
        "rate": rate,
        "utilisation": reached,
        "peak": peak,
        "source": "shapes",
        "coverage": coverage,
    }


def _coverage(columns: Columns, estimated: NDArray[np.integer[Any]]) -> float:
    """Of the time of all computing, the share of the groups whose operations are known."""
    groups = columns.groups
    on_device = groups.side == _DEVICE_SIDE
    computing = on_device if int(groups.total[on_device].sum()) else groups.side == _HOST_SIDE
    whole = int(groups.self_time[computing].sum())
    if computing is on_device:
        covered = np.where(on_device[estimated], groups.total[estimated], groups.device_total[estimated])
    else:
        covered = groups.total[estimated]  # what they call is theirs
    return min(int(covered.sum()) / whole, 1.0) if whole else 0.0


def _of_steps(columns: Columns, operations: Floats) -> tuple[float, str] | None:
    """What part of the peak whole steps reach, and the peaks by their names (model FLOPs utilisation).

    None where the peak of any counted operator on the device is not known, as a part of the sum would be missing.
    """
    steps, groups, rows = columns.steps, columns.groups, columns.rows
    whole = np.flatnonzero(~steps.is_partial)
    order = whole[np.argsort(steps.begin[whole], kind="stable")]
    begin, end = steps.begin[order], steps.end[order]
    if not len(order) or np.any(begin[1:] < end[:-1]):  # beside each other: their times do not add up
        return None
    peaks, names = utilisation.peaks_of_groups(columns, groups, operations)
    if np.isnan(peaks).all():
        return None
    at = np.flatnonzero(~np.isnan(operations)[rows.group] & is_counted(columns.repeats, len(rows)))
    launched = columns.launched.time[at] if columns.has_launches() else None
    time = utilisation.device_time(groups.side[rows.group[at]] == _DEVICE_SIDE, rows.duration[at], launched)
    step = np.searchsorted(begin, rows.start[at], "right") - 1
    at = at[~np.isnan(time) & (step >= 0) & (rows.start[at] < end[step])]
    group = rows.group[at]
    seconds = float((operations[group] / peaks[group]).sum())  # it would take at the peak; NaN where one is not known
    reached = seconds / (int((end - begin).sum()) / 1e9) if len(at) else 0.0
    if not 0 < reached <= 1:
        return None
    return reached, ", ".join(sorted({names[number] for number in np.unique(group).tolist()}))
