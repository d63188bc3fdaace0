"""A callback for `paddle.Model` that records as `paddle.callbacks.VisualDL` does, without needing VisualDL."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mindinsight_like.conf.locations import check_local
from mindinsight_like.writers.callbacks.framework_class import FrameworkClass, first_module

if TYPE_CHECKING:
    from mindinsight_like.writers.visualdl.log_writer import LogWriter


class VisualDLCallback(FrameworkClass):
    """Records the loss and metrics of every training batch, and those of every evaluation.

        model.fit(data, epochs=2, callbacks=VisualDLCallback("runs/first"))

    Tags are "train/loss", "train/acc", "eval/loss" and so on; training counts batches from 1, evaluation epochs from 0.
    Of several processes only the first records. The log is closed when training, or an evaluation by itself, ends.
    """

    params: Mapping[str, Any]  # set by paddle

    def __init__(self, log_dir: str | os.PathLike[str]) -> None:
        check_local(log_dir)
        self.log_dir = os.fspath(log_dir)
        self.epoch = 0
        self.train_step = 0
        self._train_metrics: list[str] = []
        self._eval_metrics: list[str] = []
        self._is_training = False
        self._writer: LogWriter | None = None

    @classmethod
    def framework_class(cls) -> type:
        callback: type = first_module("paddle.callbacks", purpose="VisualDLCallback").Callback
        return callback

    def on_train_begin(self, logs: Mapping[str, Any] | None = None) -> None:
        self._train_metrics = list(self.params["metrics"])
        self._is_training = True
        self.train_step = 0

    def on_epoch_begin(self, epoch: int | None = None, logs: Mapping[str, Any] | None = None) -> None:
        self.epoch = epoch or 0

    def on_train_batch_end(self, step: int, logs: Mapping[str, Any] | None = None) -> None:
        self.train_step += 1
        self._record("train", self._train_metrics, logs or {}, self.train_step)

    def on_eval_begin(self, logs: Mapping[str, Any] | None = None) -> None:
        self._eval_metrics = list((logs or {}).get("metrics", []))

    def on_eval_end(self, logs: Mapping[str, Any] | None = None) -> None:
        self._record("eval", self._eval_metrics, logs or {}, self.epoch)
        if not self._is_training:
            self._close()

    def on_train_end(self, logs: Mapping[str, Any] | None = None) -> None:
        self._is_training = False
        self._close()

    def _record(self, mode: str, metrics: list[str], logs: Mapping[str, Any], step: int) -> None:
        if os.environ.get("PADDLE_TRAINER_ID", "0") != "0":
            return
        if self._writer is None:
            from mindinsight_like.writers.visualdl.log_writer import LogWriter

            self._writer = LogWriter(self.log_dir)
            if self._is_training:
                epochs, steps = self.params.get("epochs"), self.params.get("steps")
                if isinstance(epochs, int) and isinstance(steps, int) and epochs * steps > 0:
                    self._writer.set_total_steps(epochs * steps)
        for name in metrics:
            value = logs.get(name)
            if isinstance(value, list | tuple):
                value = value[0] if value else None
            if value is not None:
                self._writer.add_scalar(f"{mode}/{name}", value, step)

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None
