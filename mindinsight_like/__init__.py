"""A self-hosted board for training logs of MindSpore, TensorBoard and VisualDL.

    import mindinsight_like as mi
    runs = mi.open("runs/")          # no server needed
    runs.scalars(tag="loss")         # every point, as a pandas table

Importing this package loads nothing else: parts are loaded when they are first used, so that training scripts pay
only for what they use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mindinsight_like.collection import Runs
    from mindinsight_like.collection import open_runs as open  # the name that the documentation promises
    from mindinsight_like.lineage.mindinsight_api import filter_summary_lineage, get_summary_lineage
    from mindinsight_like.profiler.training.profiler import Profiler
    from mindinsight_like.profiler.training.schedules import schedule
    from mindinsight_like.writers.artifacts import Artifact
    from mindinsight_like.writers.huggingface import HuggingFaceCallback
    from mindinsight_like.writers.keras import KerasCallback
    from mindinsight_like.writers.lightning import LightningLogger
    from mindinsight_like.writers.lineage_events import EvalInfo, TrainInfo
    from mindinsight_like.writers.lineage_file import log_lineage
    from mindinsight_like.writers.log_reader import LogReader
    from mindinsight_like.writers.log_writer import LogWriter
    from mindinsight_like.writers.mindspore_callbacks import EvalLineage, SummaryStep, TrainLineage
    from mindinsight_like.writers.paddle_callback import VisualDLCallback
    from mindinsight_like.writers.summary_collector import SummaryCollector
    from mindinsight_like.writers.summary_record import SummaryRecord
    from mindinsight_like.writers.summary_writer import SummaryWriter

__all__ = [
    "Artifact",
    "EvalInfo",
    "EvalLineage",
    "HuggingFaceCallback",
    "KerasCallback",
    "LightningLogger",
    "LogReader",
    "LogWriter",
    "Profiler",
    "Runs",
    "SummaryCollector",
    "SummaryRecord",
    "SummaryStep",
    "SummaryWriter",
    "TrainInfo",
    "TrainLineage",
    "VisualDLCallback",
    "filter_summary_lineage",
    "get_summary_lineage",
    "log_lineage",
    "open",
    "schedule",
]

_LOADED_ON_USE = {
    "Artifact": ("mindinsight_like.writers.artifacts", "Artifact"),
    "EvalInfo": ("mindinsight_like.writers.lineage_events", "EvalInfo"),
    "EvalLineage": ("mindinsight_like.writers.mindspore_callbacks", "EvalLineage"),
    "HuggingFaceCallback": ("mindinsight_like.writers.huggingface", "HuggingFaceCallback"),
    "KerasCallback": ("mindinsight_like.writers.keras", "KerasCallback"),
    "LightningLogger": ("mindinsight_like.writers.lightning", "LightningLogger"),
    "LogReader": ("mindinsight_like.writers.log_reader", "LogReader"),
    "LogWriter": ("mindinsight_like.writers.log_writer", "LogWriter"),
    "Profiler": ("mindinsight_like.profiler.training.profiler", "Profiler"),
    "Runs": ("mindinsight_like.collection", "Runs"),
    "SummaryCollector": ("mindinsight_like.writers.summary_collector", "SummaryCollector"),
    "SummaryRecord": ("mindinsight_like.writers.summary_record", "SummaryRecord"),
    "SummaryStep": ("mindinsight_like.writers.mindspore_callbacks", "SummaryStep"),
    "SummaryWriter": ("mindinsight_like.writers.summary_writer", "SummaryWriter"),
    "TrainInfo": ("mindinsight_like.writers.lineage_events", "TrainInfo"),
    "TrainLineage": ("mindinsight_like.writers.mindspore_callbacks", "TrainLineage"),
    "VisualDLCallback": ("mindinsight_like.writers.paddle_callback", "VisualDLCallback"),
    "filter_summary_lineage": ("mindinsight_like.lineage.mindinsight_api", "filter_summary_lineage"),
    "get_summary_lineage": ("mindinsight_like.lineage.mindinsight_api", "get_summary_lineage"),
    "log_lineage": ("mindinsight_like.writers.lineage_file", "log_lineage"),
    "open": ("mindinsight_like.collection", "open_runs"),
    "schedule": ("mindinsight_like.profiler.training.schedules", "schedule"),
}


def __getattr__(name: str) -> Any:
    if name not in _LOADED_ON_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _LOADED_ON_USE[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted((*globals(), *_LOADED_ON_USE))
