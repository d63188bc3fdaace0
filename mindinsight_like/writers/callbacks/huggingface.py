"""A callback for the Trainer of Hugging Face that records as its TensorBoardCallback does, without TensorBoard.

It becomes a callback of transformers when it is made; importing it needs no transformers.
"""

from __future__ import annotations

import logging
import os
import platform
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mindinsight_like.conf.locations import check_local
from mindinsight_like.writers.callbacks.framework_class import FrameworkClass, first_module
from mindinsight_like.writers.tensorboard.run_parameters import flattened, record_parameters
from mindinsight_like.writers.tensorboard.summary_writer import SummaryWriter

__all__ = ["HuggingFaceCallback"]

log = logging.getLogger(__name__)


class HuggingFaceCallback(FrameworkClass):
    """Records what a Trainer logs, with its arguments and the model's configuration.

        trainer = Trainer(model, args, train_dataset=data, callbacks=[HuggingFaceCallback("runs/first")])

    Without `log_dir` the Trainer's `logging_dir` is taken, or else `runs/<date>_<host>` in its `output_dir`. Tags are
    `train/loss`, `eval/loss` and so on. A SummaryWriter may be given in place of a folder; it stays open. Of several
    processes only the first writes.
    """

    def __init__(self, log_dir: str | os.PathLike[str] | SummaryWriter | None = None) -> None:
        super().__init__()
        self._writer = log_dir if isinstance(log_dir, SummaryWriter) else None
        self._is_ours = self._writer is None
        self._log_dir = None if log_dir is None or isinstance(log_dir, SummaryWriter) else os.fspath(log_dir)
        if self._log_dir is not None:
            check_local(self._log_dir)
        self._is_training = False
        self._refused: set[str] = set()  # keys whose values cannot be recorded, as was already told

    @classmethod
    def framework_class(cls) -> type:
        """The Trainer's class of callbacks."""
        module = first_module("transformers", purpose="mindinsight_like.HuggingFaceCallback")
        callback: type = module.TrainerCallback
        return callback

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Record the arguments and the configuration."""
        self._is_training = True
        if not state.is_world_process_zero:
            return
        writer = self._opened(args, state)
        if isinstance(total := getattr(state, "max_steps", None), int) and total > 0:
            writer.set_total_steps(total)
        if hasattr(args, "to_json_string"):
            writer.add_text("args", f"```json\n{args.to_json_string()}\n```")
        config = getattr(kwargs.get("model"), "config", None)
        if config is not None and hasattr(config, "to_json_string"):
            writer.add_text("model_config", f"```json\n{config.to_json_string()}\n```")
        if hasattr(args, "to_sanitized_dict"):
            record_parameters(writer, flattened(args.to_sanitized_dict()))

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        """Record the numbers and texts that the Trainer logs."""
        if not state.is_world_process_zero:
            return
        writer = self._opened(args, state)
        for key, value in (logs or {}).items():
            if isinstance(value, str):
                writer.add_text(_tag(key), value, state.global_step)
                continue
            try:
                writer.add_scalar(_tag(key), value, state.global_step)
            except (TypeError, ValueError) as error:
                if key not in self._refused:
                    self._refused.add(key)
                    log.warning("%s is not recorded: %s", key, error)

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Have an evaluation after the training complete in the file."""
        if self._writer is not None and not self._is_training:
            self._writer.flush()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Release the file; a later evaluation opens another."""
        self._is_training = False
        if self._writer is None:
            return
        if self._is_ours:
            self._writer.close()
            self._writer = None
        else:
            self._writer.flush()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_writer": None if self._is_ours else self._writer}

    def _opened(self, args: Any, state: Any) -> SummaryWriter:
        if self._writer is None:
            if self._log_dir is None:
                started = time.strftime("%b%d_%H-%M-%S")
                usual = Path(args.output_dir, "runs", f"{started}_{platform.node()}")
                self._log_dir = str(getattr(args, "logging_dir", None) or usual)
            trial = getattr(state, "trial_name", None)  # of a search over hyper-parameters
            self._writer = SummaryWriter(str(Path(self._log_dir, trial)) if trial else self._log_dir)
        return self._writer


def _tag(key: str) -> str:
    for part in ("eval", "test"):
        if key.startswith(f"{part}_"):
            return f"{part}/{key.removeprefix(f'{part}_')}"
    return f"train/{key}"
