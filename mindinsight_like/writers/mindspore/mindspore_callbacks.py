"""Callbacks of MindSpore r0.3: SummaryStep, TrainLineage, EvalLineage.

They become MindSpore callbacks when they are made; importing them needs no MindSpore.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from mindinsight_like.conf.locations import check_local
from mindinsight_like.writers.callbacks.framework_class import FrameworkClass, first_module
from mindinsight_like.writers.mindspore import lineage_events, mindspore_training
from mindinsight_like.writers.mindspore.mindspore_training import optional_attribute
from mindinsight_like.writers.mindspore.summary_record import SummaryRecord

__all__ = ["EvalLineage", "MindSporeCallback", "SummaryStep", "TrainLineage"]

log = logging.getLogger(__name__)


class MindSporeCallback(FrameworkClass):
    """Base of our callbacks, which become subclasses of MindSpore's Callback."""

    @classmethod
    def framework_class(cls) -> type:
        """MindSpore's class of callbacks."""
        module = first_module("mindspore.train.callback", purpose=f"mindinsight_like.{cls.__name__}")
        callback: type = module.Callback
        return callback


class SummaryStep(MindSporeCallback):
    """Records every `flush_step` steps what the summary operators of the network saw."""

    def __init__(self, summary: SummaryRecord, flush_step: int = 10) -> None:
        super().__init__()
        if isinstance(flush_step, bool) or not isinstance(flush_step, int) or flush_step <= 0:
            raise ValueError(f"flush_step: expected an integer >= 1, not {flush_step!r}")
        self._summary = summary
        self._flush_step = flush_step

    def __enter__(self) -> SummaryStep:
        self._summary.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The record stays open: whoever made it closes it, perhaps after an evaluation.
        self._summary.flush()

    @property
    def summary_file_name(self) -> str:
        """The full path of the summary file."""
        return self._summary.log_dir

    def step_end(self, run_context: Any) -> None:
        """Record this step, if it is its turn."""
        training = run_context.original_args()
        if optional_attribute(training, "mode") != "eval" and training.cur_step_num % self._flush_step == 0:
            self._summary.record(training.cur_step_num, optional_attribute(training, "train_network"))


class _LineageCallback(MindSporeCallback):
    """Records lineage when a training or an evaluation begins and ends."""

    mode: str

    def __init__(
        self,
        summary_record: SummaryRecord | str | os.PathLike[str],
        raise_exception: bool = False,
        user_defined_info: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(summary_record, SummaryRecord):
            check_local(summary_record)
        self._place = summary_record if isinstance(summary_record, SummaryRecord) else Path(summary_record)
        self._raise_exception = raise_exception
        self._user_defined_info = dict(user_defined_info or {})
        lineage_events.custom(self._user_defined_info)  # raises for what cannot be recorded

    def begin(self, run_context: Any) -> None:
        """Record the user's own data, and of a training the pipeline of its data."""
        training = run_context.original_args()
        with self._recording(training) as record:
            if record is None:
                return
            if self._user_defined_info:
                record.record_lineage("custom_lineage_data", self._user_defined_info)
            if self.mode == "train":
                graph = mindspore_training.dataset_graph(optional_attribute(training, "train_dataset"))
                if graph is not None:
                    record.record_lineage("dataset_graph", graph)

    def end(self, run_context: Any) -> None:
        """Record how the model was trained or evaluated."""
        training = run_context.original_args()
        with self._recording(training) as record:
            if record is None:
                return
            if self.mode == "train":
                record.record_lineage("train_lineage", mindspore_training.train_info(training))
            else:
                record.record_lineage("eval_lineage", mindspore_training.eval_info(training))

    @contextmanager
    def _recording(self, training: Any) -> Iterator[SummaryRecord | None]:
        """The record, None when this callback has nothing to do here; trouble is logged unless it shall be raised."""
        try:
            if optional_attribute(training, "mode") not in (None, self.mode):
                yield None
                return
            if isinstance(self._place, Path):
                self._place = SummaryRecord(self._place)
            yield self._place
            self._place.flush()
        except Exception:
            if self._raise_exception:
                raise
            log.exception("lineage is not recorded")


class TrainLineage(_LineageCallback):
    """Records how a model was trained and on which data.

    `summary_record` is a SummaryRecord or the folder for a new one; `user_defined_info` maps names to texts and
    numbers. With `raise_exception` trouble with reading or writing lineage ends the training.
    """

    mode = "train"


class EvalLineage(_LineageCallback):
    """Records the metrics of an evaluation and its data; the arguments are those of TrainLineage."""

    mode = "eval"
