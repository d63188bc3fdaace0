"""A recording in a few figures."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

import numpy as np

from . import critical_path, flops_summary, idle, pipeline, steps
from .advice import advice
from .columns import LAYER_SIDE, NS_PER_MS, Columns
from .operators import Asked, sides, summed
from .tables import Table, page, rows_of

_TOP_TYPES: Final = 20
_FIRST_ADVICE: Final = 3
_OTHER_SIDES: Final = ("launch", "data", "python", "annotation", "other")  # what is there is no operator


def answer(columns: Columns) -> dict[str, Any]:
    """The answer of `Analysed.summary`."""
    trace, groups = columns.trace, columns.groups
    types, names = (_operators(summed(columns, Asked(by))) for by in ("type", "name"))
    first, last = columns.recorded
    average = steps.average(columns.steps)
    return {
        "tool": trace.tool,
        "device": trace.device,
        "host": trace.host,
        "rank": trace.rank,
        "ranks": trace.ranks,
        "origin_ns": trace.origin,
        "facts": trace.facts,
        "counts": {**trace.counts, **columns.counts},
        "losses": [asdict(loss) for loss in trace.losses],
        "totals": {
            "slices": len(columns.rows),
            "tracks": len(set(columns.lanes.track.tolist())),
            "operators": len(names["count"]),
            "types": len(types["count"]),
            "executions": int(types["count"].sum()),
            "steps": len(columns.steps),
            "wall": (last - first) / NS_PER_MS,
        },
        "has": {
            "operators": len(types["count"]) > 0 or bool(np.any(groups.side != LAYER_SIDE)),
            "steps": len(columns.steps) > 0,
            "timeline": len(columns.rows) > 0,
            "memory": bool(trace.memory) or trace.allocations is not None,
            "pipeline": bool(trace.pipelines) or pipeline.has_loading(columns),
            "flame": bool(np.any(columns.rows.parent >= 0)),
            "critical_path": critical_path.has_answer(columns),
            "idle": idle.has_answer(columns),
            "cluster": trace.links is not None or trace.ranks > 1,
            "counters": bool(trace.counters),
        },
        "sides": sides(columns),
        "top_types": [
            {key: row[key] for key in ("type", "side", "total", "self", "count", "share")}
            for row in rows_of(page(types, "-self", 0, _TOP_TYPES))
        ],
        "breakdown": average.get("parts", {}),
        "step": average,
        "flops": flops_summary.summary(columns),
        "advice": advice(columns)[:_FIRST_ADVICE],
    }


def _operators(table: Table) -> Table:
    # Sides that only sums tell of have names of their own, and all of them are of operators.
    at = np.flatnonzero(~np.isin(table["side"].astype(str), _OTHER_SIDES))
    return {name: column[at] for name, column in table.items()}
