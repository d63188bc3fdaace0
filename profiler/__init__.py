"""Profiling: the `Profiler` for training scripts, trace readers, analyses and their REST routes.

Importing this loads nothing else: parts are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindinsight_like.lazy import lazy_names

if TYPE_CHECKING:
    from mindinsight_like.profiler.training.callbacks import (
        HuggingFaceProfilerCallback,
        KerasProfilerCallback,
        LightningProfilerCallback,
        MindSporeProfilerCallback,
        PaddleProfilerCallback,
    )
    from mindinsight_like.profiler.training.profiler import Profiler
    from mindinsight_like.profiler.training.schedules import schedule

__all__ = [
    "HuggingFaceProfilerCallback",
    "KerasProfilerCallback",
    "LightningProfilerCallback",
    "MindSporeProfilerCallback",
    "PaddleProfilerCallback",
    "Profiler",
    "schedule",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "HuggingFaceProfilerCallback": "mindinsight_like.profiler.training.callbacks",
            "KerasProfilerCallback": "mindinsight_like.profiler.training.callbacks",
            "LightningProfilerCallback": "mindinsight_like.profiler.training.callbacks",
            "MindSporeProfilerCallback": "mindinsight_like.profiler.training.callbacks",
            "PaddleProfilerCallback": "mindinsight_like.profiler.training.callbacks",
            "Profiler": "mindinsight_like.profiler.training.profiler",
            "schedule": "mindinsight_like.profiler.training.schedules",
        },
    )
