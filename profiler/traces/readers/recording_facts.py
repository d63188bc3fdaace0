"""Metadata of a MindSpore recording."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from mindinsight_like.profiler.traces.files import Files, base_name
from mindinsight_like.profiler.traces.trace import NOTHING, Loss, Trace

from .assembly import report_damage

_MOST_BYTES: Final = 2**24  # of a file that is kept as a fact
# Facts that make a recording worth showing without any measurement.
SHOWN_ALONE: Final = ("parallel_strategy", "dynamic_shape", "flops_summary", "flops_scope", "memory_summary")
_KEPT: Final = {
    "parallel_strategy_": "parallel_strategy",
    "dynamic_shape_info_": "dynamic_shape",
    "flops_summary_": "flops_summary",
    "flops_scope_": "flops_scope",
    "memory_usage_summary_": "memory_summary",
    "memory_usage_details_": "memory_details",
    "profiler_metadata": "metadata",
    "communication_matrix": "communication_matrix",
    "ascend_timeline_summary_": "timeline_summary",
    "gpu_timeline_summary_": "timeline_summary",
    "cpu_timeline_summary_": "timeline_summary",
    "timeline_summary_": "timeline_summary",
}
_CLUSTER = re.compile(r"^(?:ascend|gpu)_cluster_analyse_([a-z-]+)_(\d+)_(\d+)_(\d+)\.csv$")


def fill(trace: Trace, files: Files, names: Sequence[str]) -> None:
    """Adds facts, rank, number of ranks, and the device."""
    for name in names:
        base = base_name(name)
        with report_damage(trace, name):
            if base.startswith("profiler_info_"):
                _profiler_info(trace, _content(files, name))
            elif re.match(r"^info\.json\.\d+$", base):
                _device_info(trace, _content(files, name))
            elif base == "step_trace_point_info.json" or base.startswith("step_trace_point_info_"):
                points = _content(files, name)
                trace.facts |= {key: points[key] for key in ("fp_start", "bp_end") if isinstance(points.get(key), str)}
            elif (cluster := _CLUSTER.match(base)) is not None:
                trace.facts |= {"parallel_mode": cluster[1], "stages": int(cluster[2])}
                trace.ranks = int(cluster[3])
            else:
                _keep(trace, files, name, base)
    if not trace.device:
        trace.device = _device(names)


def _keep(trace: Trace, files: Files, name: str, base: str) -> None:
    key = next((key for start, key in _KEPT.items() if base.startswith(start) and base.endswith(".json")), None)
    if key is not None:
        content = files.json(name, _MOST_BYTES)
        trace.facts[key] = content
        if key == "parallel_strategy" and isinstance(content, dict) and isinstance(content.get("config"), dict):
            rank = content["config"].get("rankId")
            if isinstance(rank, int) and trace.rank == NOTHING:
                trace.rank = rank
    elif base.startswith("flops_scope") and not base.endswith(".json"):
        trace.losses.append(Loss(f"{base} has an unknown format", file=name))


def _content(files: Files, name: str) -> dict[str, Any]:
    content = files.json(name, _MOST_BYTES)
    if isinstance(content, list) and content:
        content = content[0]  # one for each step, all the same
    if not isinstance(content, dict):
        raise ValueError("not a JSON object")
    return content


def _profiler_info(trace: Trace, content: dict[str, Any]) -> None:
    trace.facts["profiler_info"] = content
    if (ranks := _integer(content.get("rank_size"))) is not None and ranks > 0:
        trace.ranks = ranks
    if (rank := _integer(content.get("rank_id"))) is not None and trace.rank == NOTHING:
        trace.rank = rank
    if (stages := _integer(content.get("stage_num"))) is not None:
        trace.facts["stages"] = stages
    if isinstance(content.get("parallel_mode"), str):
        trace.facts["parallel_mode"] = content["parallel_mode"]
    if isinstance(content.get("ms_version"), str):
        trace.facts["mindspore_version"] = content["ms_version"]


def _device_info(trace: Trace, content: dict[str, Any]) -> None:
    trace.facts["device_info"] = content
    trace.host = str(content.get("hostname", ""))
    if (rank := _integer(content.get("rank_id"))) is not None and rank >= 0:
        trace.rank = rank


def _integer(value: object) -> int | None:
    try:
        return int(value) if isinstance(value, (int, str)) else None
    except ValueError:
        return None


def _device(names: Sequence[str]) -> str:
    bases = {base_name(name) for name in names}
    if any(
        base.startswith(("aicore_", "ascend_", "kernel_details", "op_summary", "msprof", "framework_raw"))
        for base in bases
    ):
        return "Ascend"
    if any(base.startswith("gpu_") for base in bases):
        return "GPU"
    if any(base.startswith("cpu_op_") for base in bases):
        return "CPU"
    return ""
