"""JSON tables of our own trace format: input pipelines and links between ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindinsight_like.profiler.traces.trace import InputPipeline, Links, PipelineOperator


def pipeline_of(content: dict[str, Any]) -> InputPipeline:
    """An input pipeline; raises ValueError, TypeError, KeyError where the table is none."""
    operators = [
        PipelineOperator(
            int(number),
            str(kind),
            int(workers),
            int(capacity),
            np.array(sizes, np.int64).ravel(),
            int(parent),
            [int(child) for child in children],
            float(cost),
        )
        for number, kind, workers, capacity, sizes, parent, children, cost in content["operators"]
    ]
    sizes = np.array(content["queue_size"], np.int64).ravel()
    wait, push = (np.array(content[name], np.float64).ravel() for name in ("wait", "push"))
    if not len(sizes) == len(wait) == len(push):
        raise ValueError("one value for each batch")
    return InputPipeline(
        operators,
        float(content["sample_milliseconds"]),
        str(content["queue"]),
        int(content["queue_capacity"]),
        np.arange(1, len(sizes) + 1),
        sizes,
        wait,
        push,
    )


def links_of(content: dict[str, Any]) -> Links:
    """Traffic between ranks; raises ValueError, TypeError, KeyError, OverflowError where the table is none."""
    step, source, target, kind, *measured = zip(*content["rows"], strict=True)
    milliseconds, megabytes, speed = (np.array(column, np.float64) for column in measured)
    return Links(
        np.array(step, np.int64),
        np.array(source, np.int32),
        np.array(target, np.int32),
        [str(each) for each in kind],
        milliseconds,
        megabytes,
        speed,
    )
