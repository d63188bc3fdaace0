"""A callback for Keras that records as its TensorBoard callback does, without needing TensorFlow or TensorBoard.

It becomes a Keras callback when it is made; importing it needs no Keras.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mindinsight_like.conf.locations import check_local
from mindinsight_like.writers.callbacks.framework_class import FrameworkClass, first_module
from mindinsight_like.writers.encoding.values import to_number
from mindinsight_like.writers.tensorboard.summary_writer import SummaryWriter

__all__ = ["KerasCallback"]


class KerasCallback(FrameworkClass):
    """Records the metrics of every epoch, in `log_dir/train` and `log_dir/validation`.

        model.fit(x, y, validation_split=0.2, callbacks=[KerasCallback("runs/first")])

    Tags are `epoch_loss`, `epoch_accuracy`, `epoch_learning_rate` and so on. `update_freq` may be "batch" or a number
    of batches, after which `batch_loss` and the others are recorded, too; `histogram_freq` is a number of epochs,
    after which the distributions of all weights are; `write_steps_per_second` records the speed. `model.evaluate` by
    itself adds `evaluation_<metric>_vs_iterations`.
    """

    model: Any  # set by Keras

    def __init__(
        self,
        log_dir: str | os.PathLike[str] = "logs",
        histogram_freq: int = 0,
        update_freq: str | int = "epoch",
        write_steps_per_second: bool = False,
    ) -> None:
        super().__init__()
        check_local(log_dir)
        self.log_dir = os.fspath(log_dir)
        self.histogram_freq = histogram_freq
        self._batches_between = _batches_between(update_freq)  # None: only epochs are recorded
        self.write_steps_per_second = write_steps_per_second
        self._writers: dict[str, SummaryWriter] = {}
        self._batches = 0  # trained, over all epochs
        self._is_training = False
        self._epoch_began = (0.0, 0)  # when, and after how many batches

    @classmethod
    def framework_class(cls) -> type:
        """The class of callbacks of the Keras that is in use."""
        module = first_module("keras", "tf_keras", purpose="mindinsight_like.KerasCallback")
        callback: type = module.callbacks.Callback
        return callback

    def on_train_begin(self, logs: Mapping[str, Any] | None = None) -> None:
        """Begin to count."""
        self._is_training = True
        self._batches = 0

    def on_epoch_begin(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Remember the time."""
        self._epoch_began = (time.perf_counter(), self._batches)

    def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Record this batch, if it is its turn."""
        self._batches += 1
        if self._batches_between is not None and self._batches % self._batches_between == 0:
            self._record("train", "batch_", logs, self._batches)

    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        """Record the metrics of an epoch, and of the validation after it."""
        logs = logs or {}
        validation = {key.removeprefix("val_"): value for key, value in logs.items() if key.startswith("val_")}
        self._record("train", "epoch_", {key: logs[key] for key in logs if not key.startswith("val_")}, epoch)
        self._record("validation", "epoch_", validation, epoch)
        learning_rate = self._learning_rate()
        if learning_rate is not None and "learning_rate" not in logs:
            self._record("train", "epoch_", {"learning_rate": learning_rate}, epoch)
        if self.write_steps_per_second:
            began, batches = self._epoch_began
            speed = (self._batches - batches) / max(time.perf_counter() - began, 1e-9)
            self._record("train", "epoch_", {"steps_per_second": speed}, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            for name, weight in self._weights():
                self._writer("train").add_histogram(f"{name}/histogram", weight, epoch)

    def on_test_end(self, logs: Mapping[str, Any] | None = None) -> None:
        """Record an evaluation over the batches trained before it; validations belong to their epochs."""
        if self._is_training:
            return
        for key, value in (logs or {}).items():
            self._writer("validation").add_scalar(f"evaluation_{key}_vs_iterations", value, self._iterations())
        self._close()

    def on_train_end(self, logs: Mapping[str, Any] | None = None) -> None:
        """Release the files."""
        self._is_training = False
        self._close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_writers": {}}

    def _record(self, part: str, prefix: str, logs: Mapping[str, Any] | None, step: int) -> None:
        for key, value in (logs or {}).items():
            self._writer(part).add_scalar(f"{prefix}{key}", value, step)

    def _writer(self, part: str) -> SummaryWriter:
        if part not in self._writers:
            self._writers[part] = SummaryWriter(str(Path(self.log_dir, part)))
        return self._writers[part]

    def _close(self) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers = {}

    def _learning_rate(self) -> float | None:
        rate = getattr(getattr(self.model, "optimizer", None), "learning_rate", None)
        if rate is None:
            return None
        try:
            return to_number(rate() if callable(rate) else rate)
        except (TypeError, ValueError):
            return None  # a schedule of a kind that only the optimizer can ask

    def _iterations(self) -> int:
        """How many batches the model has been trained with, also before this callback."""
        iterations = getattr(getattr(self.model, "optimizer", None), "iterations", None)
        return self._batches if iterations is None else int(to_number(iterations))

    def _weights(self) -> list[tuple[str, Any]]:
        return [
            (getattr(weight, "path", weight.name), weight.numpy())
            for layer in self.model.layers
            for weight in layer.weights
        ]


def _batches_between(update_freq: str | int) -> int | None:
    if isinstance(update_freq, int) and update_freq > 0:
        return update_freq
    if update_freq not in ("epoch", "batch"):
        raise ValueError(f"update_freq: expected 'epoch', 'batch' or a number of batches, not {update_freq!r}")
    return 1 if update_freq == "batch" else None
