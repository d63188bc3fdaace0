"""Log a training with the writer of any of the three dialects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from mindinsight_like.demo.mindspore_log import MindsporeLog
from mindinsight_like.demo.tensorboard_log import TensorboardLog
from mindinsight_like.demo.training.plans import Dialect, Plan
from mindinsight_like.demo.training.training import Moment, Outcome
from mindinsight_like.demo.visualdl_log import VisualdlLog


class TrainingLog(Protocol):
    """The log of one attempt at a training."""

    def write(self, moment: Moment, *, wall_time: float) -> None:
        """Record everything the moment holds."""

    def conclude(self, outcome: Outcome, *, wall_time: float) -> None:
        """Record what is known only at the end."""

    def flush(self) -> None:
        """Let readers see what was recorded."""

    def close(self) -> None:
        """End the log."""

    def set_back(self) -> None:
        """Make the closed log look as if it had been written at the wall times it was told."""


_LOGS: dict[Dialect, Callable[[Path, Plan, float], TrainingLog]] = {
    "tensorboard": TensorboardLog,
    "mindspore": MindsporeLog,
    "visualdl": VisualdlLog,
}


def open_log(folder: Path, plan: Plan, *, started: float) -> TrainingLog:
    """A new log in the folder of a run."""
    return _LOGS[plan.dialect](folder, plan, started)
