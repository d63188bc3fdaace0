"""Floating point operations of a whole recording, and what part of the device's peak its steps reach."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from mindinsight_like.profiler.traces.trace import Floats

from . import flops, utilisation
from .columns import LAYER_SIDE, SIDES, Columns
from .repeats import is_counted

_DEVICE_SIDE: Final = SIDES.index("device")


def summary(columns: Columns) -> dict[str, Any] | None:
    """`{total, rate, utilisation, peak, source}`; what the tool itself summed up goes before estimates."""
    told = columns.trace.facts.get("flops_summary")
    if isinstance(told, dict) and isinstance(told.get("FLOPs"), (int, float)) and told["FLOPs"] > 0:
        rate, share = told.get("FLOPS"), told.get("FLOPS_Utilization")
        return {
            "total": told["FLOPs"] * 1e6,
            "rate": rate * 1e9 if isinstance(rate, (int, float)) else None,
            "utilisation": share / 100 if isinstance(share, (int, float)) else None,
            "peak": None,
            "source": "tool",
        }
    groups = columns.groups
    operations, _ = flops.of_groups(columns, groups)
    operations[groups.side == LAYER_SIDE] = np.nan
    known = np.flatnonzero(~np.isnan(operations))
    total = float((operations[known] * groups.count[known]).sum())
    if not total:
        return None
    time = int(np.where(groups.device_total[known] > 0, groups.device_total[known], groups.total[known]).sum())
    rate = total / (time / 1e9) if time else None
    reached, peak = _of_steps(columns, operations) or (None, None)
    return {"total": total, "rate": rate, "utilisation": reached, "peak": peak, "source": "shapes"}


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
