"""HolisticTraceAnalysis, in its own environment: load a trace, sum up operators and kernels, break down its time."""

from __future__ import annotations

import json
import sys


def main() -> None:
    from hta.trace_analysis import TraceAnalysis  # type: ignore[import-not-found,unused-ignore]

    analysis = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir="")
    frame = analysis.t.get_trace(0)
    operators = frame.groupby("name")["dur"].agg(["count", "sum", "mean", "min", "max"])
    kernels, _ = analysis.get_gpu_kernel_breakdown(visualize=False)
    breakdown = analysis.get_temporal_breakdown(visualize=False)
    idle, _ = analysis.get_idle_time_breakdown(visualize=False)
    print(
        json.dumps(
            {"rows": len(frame), "operators": len(operators), "parts": len(kernels) + len(breakdown) + len(idle)}
        )
    )


if __name__ == "__main__":
    main()
