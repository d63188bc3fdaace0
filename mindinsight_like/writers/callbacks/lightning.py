"""A logger for Lightning that records as its TensorBoardLogger does, without needing TensorBoard.

It becomes a Lightning logger when it is made; importing it needs no Lightning.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from mindinsight_like.conf.locations import check_local
from mindinsight_like.writers.callbacks.framework_class import FrameworkClass, first_module
from mindinsight_like.writers.tensorboard.run_parameters import flattened, record_parameters
from mindinsight_like.writers.tensorboard.summary_writer import SummaryWriter

__all__ = ["LightningLogger"]

log = logging.getLogger(__name__)


class LightningLogger(FrameworkClass):
    """Records the metrics and hyper-parameters of a Lightning training into `save_dir/name/version`.

        trainer = Trainer(logger=LightningLogger("runs"))

    The arguments are those of Lightning's TensorBoardLogger: without a `version` the next free `version_<n>` is taken;
    `log_graph` records the model, which needs its `example_input_array`; `prefix` goes in front of every metric;
    further arguments are SummaryWriter's, which is at hand as `experiment`. Of several processes only the first
    writes.
    """

    def __init__(
        self,
        save_dir: str | os.PathLike[str] = "runs",
        name: str | None = "lightning_logs",
        version: int | str | None = None,
        log_graph: bool = False,
        default_hp_metric: bool = True,
        prefix: str = "",
        sub_dir: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        check_local(save_dir)
        self._save_dir = os.fspath(save_dir)
        self._name = name or ""
        self._version = version
        self._log_graph = log_graph
        self._default_hp_metric = default_hp_metric
        self._prefix = prefix
        self._sub_dir = None if sub_dir is None else os.fspath(sub_dir)
        self._options = options
        self._writer: SummaryWriter | None = None
        self.hparams: dict[str, Any] = {}

    @classmethod
    def framework_class(cls) -> type:
        """Lightning's class of loggers, under whichever name it is installed."""
        module = first_module("lightning.pytorch", "pytorch_lightning", purpose="mindinsight_like.LightningLogger")
        logger: type = import_module(f"{module.__name__}.loggers").Logger
        return logger

    @property
    def name(self) -> str:
        """The folder for all versions, below `save_dir`."""
        return self._name

    @property
    def version(self) -> int | str:
        """The number or name of this training."""
        if self._version is None:
            self._version = self._next_version()
        return self._version

    @property
    def save_dir(self) -> str:
        """The folder given at first."""
        return self._save_dir

    @property
    def root_dir(self) -> str:
        """The folder of all versions."""
        return str(Path(self._save_dir, self._name))

    @property
    def log_dir(self) -> str:
        """The folder of this training."""
        version = self.version if isinstance(self.version, str) else f"version_{self.version}"
        return str(Path(self.root_dir, version, self._sub_dir or ""))

    @property
    def experiment(self) -> SummaryWriter:
        """The writer, for pictures, texts and everything else that Lightning does not log; it may always be called."""
        if self._writer is None:
            self._writer = SummaryWriter(self.log_dir, write_to_disk=_is_first_process(), **self._options)
        return self._writer

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Record numbers; a mapping among them becomes one chart with several curves."""
        if not _is_first_process():
            return
        for key, value in metrics.items():
            tag = f"{self._prefix}-{key}" if self._prefix else key
            if isinstance(value, Mapping):
                self.experiment.add_scalars(tag, value, step)
            else:
                self.experiment.add_scalar(tag, value, step)

    def log_hyperparams(
        self, params: Any, metrics: Mapping[str, Any] | float | None = None, step: int | None = None
    ) -> None:
        """Record hyper-parameters, and the metrics to compare by with their first values."""
        if not _is_first_process():
            return
        parameters = flattened(params)
        self.hparams.update(parameters)
        if metrics is None:
            named = {"hp_metric": -1.0} if self._default_hp_metric else {}
        elif isinstance(metrics, Mapping):
            named = dict(metrics)
        else:
            named = {"hp_metric": float(metrics)}
        self.log_metrics(named, 0 if step is None else step)
        record_parameters(self.experiment, parameters, named)

    def log_graph(self, model: Any, input_array: Any = None) -> None:
        """Record the model as a graph, if that was asked for."""
        if not self._log_graph or not _is_first_process():
            return
        example = getattr(model, "example_input_array", None) if input_array is None else input_array
        if example is None:
            log.warning("the graph is not recorded: the model has no example_input_array")
            return
        try:
            example = model._apply_batch_transfer_handler(model._on_before_batch_transfer(example))
            # Without this a module complains that it is traced outside of a trainer.
            with import_module(f"{_package(self)}.core.module")._jit_is_scripting():
                self.experiment.add_graph(model, example)
        except Exception as error:  # whatever tracing the user's model raises must not end its training
            log.warning("the graph is not recorded: %s", error)

    def save(self) -> None:
        """Hand everything recorded to the operating system, the hyper-parameters also as `hparams.yaml`."""
        if not _is_first_process():
            return
        self.experiment.flush()
        path = Path(self.log_dir, "hparams.yaml")
        if self.hparams and not path.exists():
            import_module(f"{_package(self)}.core.saving").save_hparams_to_yaml(path, self.hparams)

    def finalize(self, status: str) -> None:
        """Save and release the file; a later metric opens another."""
        if self._writer is None:
            return
        self.save()
        self._writer.close()
        self._writer = None

    def __getstate__(self) -> dict[str, Any]:
        _ = self.version  # copies of this logger, in other processes, belong to the same training
        return {**self.__dict__, "_writer": None}

    def _next_version(self) -> int:
        versions = [-1]
        if Path(self.root_dir).is_dir():
            matches = (re.fullmatch(r"version_(\d+)", entry.name) for entry in Path(self.root_dir).iterdir())
            versions += [int(number[1]) for number in matches if number]
        return max(versions) + 1


def _package(logger: LightningLogger) -> str:
    """Where Lightning is installed: lightning.pytorch or pytorch_lightning."""
    theirs = next(cls for cls in type(logger).__mro__ if cls.__name__ == "Logger" and ".loggers." in cls.__module__)
    return theirs.__module__.partition(".loggers.")[0]


def _is_first_process() -> bool:
    marker = getattr(sys.modules.get("lightning_utilities.core.rank_zero"), "rank_zero_only", None)
    return not getattr(marker, "rank", 0)
