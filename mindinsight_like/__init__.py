"""A self-hosted board for training logs of MindSpore, TensorBoard and VisualDL.

    import mindinsight_like as mi
    runs = mi.open("runs/")          # no server needed
    runs.scalars(tag="loss")         # every point, as a pandas table

Importing this package loads nothing else: parts are loaded when they are first used, so that training scripts pay
only for what they use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindinsight_like.lazy import lazy_names

if TYPE_CHECKING:
    from mindinsight_like.dataframes.mindinsight_api import filter_summary_lineage, get_summary_lineage
    from mindinsight_like.dataframes.runs import Run, Runs
    from mindinsight_like.dataframes.runs import open_runs as open  # the name that the documentation promises
    from mindinsight_like.profiler.training.callbacks import (
        HuggingFaceProfilerCallback,
        KerasProfilerCallback,
        LightningProfilerCallback,
        MindSporeProfilerCallback,
        PaddleProfilerCallback,
    )
    from mindinsight_like.profiler.training.profiler import Profiler
    from mindinsight_like.profiler.training.schedules import schedule
    from mindinsight_like.tracking.active_run import finish, init, log
    from mindinsight_like.tracking.media import Audio, Histogram, Html, Image, Video
    from mindinsight_like.tracking.tracked_run import TrackedRun
    from mindinsight_like.writers.callbacks.huggingface import HuggingFaceCallback
    from mindinsight_like.writers.callbacks.keras import KerasCallback
    from mindinsight_like.writers.callbacks.lightning import LightningLogger
    from mindinsight_like.writers.callbacks.paddle_callback import VisualDLCallback
    from mindinsight_like.writers.lineage.artifacts import Artifact
    from mindinsight_like.writers.lineage.lineage_file import log_lineage
    from mindinsight_like.writers.mindspore.lineage_events import EvalInfo, TrainInfo
    from mindinsight_like.writers.mindspore.mindspore_callbacks import EvalLineage, SummaryStep, TrainLineage
    from mindinsight_like.writers.mindspore.summary_collector import SummaryCollector
    from mindinsight_like.writers.mindspore.summary_record import SummaryRecord
    from mindinsight_like.writers.tensorboard.summary_writer import SummaryWriter
    from mindinsight_like.writers.visualdl.log_reader import LogReader
    from mindinsight_like.writers.visualdl.log_writer import LogWriter

__all__ = [
    "Artifact",
    "Audio",
    "EvalInfo",
    "EvalLineage",
    "Histogram",
    "Html",
    "HuggingFaceCallback",
    "HuggingFaceProfilerCallback",
    "Image",
    "KerasCallback",
    "KerasProfilerCallback",
    "LightningLogger",
    "LightningProfilerCallback",
    "LogReader",
    "LogWriter",
    "MindSporeProfilerCallback",
    "PaddleProfilerCallback",
    "Profiler",
    "Run",
    "Runs",
    "SummaryCollector",
    "SummaryRecord",
    "SummaryStep",
    "SummaryWriter",
    "TrackedRun",
    "TrainInfo",
    "TrainLineage",
    "Video",
    "VisualDLCallback",
    "filter_summary_lineage",
    "finish",
    "get_summary_lineage",
    "init",
    "log",
    "log_lineage",
    "open",
    "schedule",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "Artifact": "mindinsight_like.writers.lineage.artifacts",
            "Audio": "mindinsight_like.tracking.media",
            "EvalInfo": "mindinsight_like.writers.mindspore.lineage_events",
            "EvalLineage": "mindinsight_like.writers.mindspore.mindspore_callbacks",
            "Histogram": "mindinsight_like.tracking.media",
            "Html": "mindinsight_like.tracking.media",
            "HuggingFaceCallback": "mindinsight_like.writers.callbacks.huggingface",
            "HuggingFaceProfilerCallback": "mindinsight_like.profiler.training.callbacks",
            "Image": "mindinsight_like.tracking.media",
            "KerasCallback": "mindinsight_like.writers.callbacks.keras",
            "KerasProfilerCallback": "mindinsight_like.profiler.training.callbacks",
            "LightningLogger": "mindinsight_like.writers.callbacks.lightning",
            "LightningProfilerCallback": "mindinsight_like.profiler.training.callbacks",
            "LogReader": "mindinsight_like.writers.visualdl.log_reader",
            "LogWriter": "mindinsight_like.writers.visualdl.log_writer",
            "MindSporeProfilerCallback": "mindinsight_like.profiler.training.callbacks",
            "PaddleProfilerCallback": "mindinsight_like.profiler.training.callbacks",
            "Profiler": "mindinsight_like.profiler.training.profiler",
            "Run": "mindinsight_like.dataframes.runs",
            "Runs": "mindinsight_like.dataframes.runs",
            "SummaryCollector": "mindinsight_like.writers.mindspore.summary_collector",
            "SummaryRecord": "mindinsight_like.writers.mindspore.summary_record",
            "SummaryStep": "mindinsight_like.writers.mindspore.mindspore_callbacks",
            "SummaryWriter": "mindinsight_like.writers.tensorboard.summary_writer",
            "TrackedRun": "mindinsight_like.tracking.tracked_run",
            "TrainInfo": "mindinsight_like.writers.mindspore.lineage_events",
            "TrainLineage": "mindinsight_like.writers.mindspore.mindspore_callbacks",
            "Video": "mindinsight_like.tracking.media",
            "VisualDLCallback": "mindinsight_like.writers.callbacks.paddle_callback",
            "filter_summary_lineage": "mindinsight_like.dataframes.mindinsight_api",
            "finish": "mindinsight_like.tracking.active_run",
            "get_summary_lineage": "mindinsight_like.dataframes.mindinsight_api",
            "init": "mindinsight_like.tracking.active_run",
            "log": "mindinsight_like.tracking.active_run",
            "log_lineage": "mindinsight_like.writers.lineage.lineage_file",
            "open": "mindinsight_like.dataframes.runs:open_runs",
            "schedule": "mindinsight_like.profiler.training.schedules",
        },
    )
