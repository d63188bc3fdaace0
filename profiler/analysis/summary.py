"""A recording in a few figures."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

import numpy as np

from mindinsight_like.profiler.traces.trace import Place

from . import steps
from .columns import LAYER_SIDE, NS_PER_MS, Columns
from .operators import Asked, table

_TOP_TYPES: Final = 20
_OPERATOR_SIDES: Final = ("host", "device", "communication", "AI CPU")  # others are no operators


def answer(columns: Columns) -> dict[str, Any]:
    """The answer of `Analysed.summary`."""
    trace, groups = columns.trace, columns.groups
    found = table(columns, Asked("type", limit=None))
    types = [row for row in found["rows"] if _is_operator(row["side"])]
    names = table(columns, Asked("name", sort="name", limit=None))["rows"]
    first, last = columns.span
    average = steps.average(columns.steps)
    return {
        "tool": trace.tool,
        "device": trace.device,
        "host": trace.host,
        "rank": trace.rank,
        "ranks": trace.ranks,
        "origin_ns": trace.origin,
        "facts": trace.facts,
        "counts": trace.counts | columns.counts,
        "losses": [asdict(loss) for loss in trace.losses],
        "totals": {
            "slices": len(columns.rows),
            "tracks": len(np.unique(columns.lanes.track)),
            "operators": sum(_is_operator(row["side"]) for row in names),
            "types": len(types),
            "executions": sum(row["count"] for row in types),
            "steps": len(columns.steps),
            "wall": (last - first) / NS_PER_MS,
        },
        "has": {
            "operators": bool(types) or bool(np.any(groups.side != LAYER_SIDE)),
            "steps": len(columns.steps) > 0,
            "timeline": len(columns.rows) > 0,
            "memory": bool(trace.memory) or trace.allocations is not None,
            "pipeline": bool(trace.pipelines),
            "flame": bool(np.any(columns.rows.parent >= 0)),
            "critical_path": len(columns.rows) > 0,
            "idle": any(track.place == Place.DEVICE for track in trace.tracks),
            "cluster": trace.links is not None or trace.ranks > 1,
            "counters": bool(trace.counters),
        },
        "sides": found["sides"],
        "top_types": [
            {key: row[key] for key in ("type", "side", "total", "self", "count", "share")} for row in types[:_TOP_TYPES]
        ],
        "breakdown": average.get("parts", {}),
        "step": average,
    }


def _is_operator(side: str) -> bool:
    # Sides that only sums tell of are all of operators, and have names of their own.
    return side in _OPERATOR_SIDES or side not in ("launch", "data", "python", "annotation", "other")
