"""Framework callbacks that report step ends to a Profiler; importable without the frameworks."""

from __future__ import annotations

import os
from typing import Any

from mindinsight_like.profiler.training.profiler import Profiler
from mindinsight_like.writers.callbacks.framework_class import FrameworkClass, first_module

__all__ = [
    "HuggingFaceProfilerCallback",
    "KerasProfilerCallback",
    "LightningProfilerCallback",
    "MindSporeProfilerCallback",
    "PaddleProfilerCallback",
]


class _ProfilerCallback(FrameworkClass):
    """Base of all of them: `profiler` is yours, to be analysed by you, or a folder.

    With a folder, and further arguments of `Profiler`, one is made when training begins, and analysed when it ends.
    """

    def __init__(self, profiler: Profiler | str | os.PathLike[str] = "./data", **arguments: Any) -> None:
        super().__init__()
        if isinstance(profiler, Profiler) and arguments:
            raise TypeError(f"{', '.join(arguments)}: pass these to the existing Profiler")
        self._profiler = profiler if isinstance(profiler, Profiler) else None
        self._folder = None if isinstance(profiler, Profiler) else os.fspath(profiler)
        self._arguments = arguments

    def _begin(self) -> None:
        if self._folder is not None and self._profiler is None:
            self._profiler = Profiler(self._folder, **self._arguments)

    def _step(self) -> None:
        if self._profiler is not None:
            self._profiler.step()

    def _end(self) -> None:
        if self._folder is not None and self._profiler is not None:
            profiler, self._profiler = self._profiler, None
            profiler.analyse()


class KerasProfilerCallback(_ProfilerCallback):
    """Profiles `fit` of Keras, each batch a step.

    model.fit(x, y, callbacks=[KerasProfilerCallback("runs/first", schedule=schedule(wait=5, active=5, repeat=1))])
    """

    @classmethod
    def framework_class(cls) -> type:
        """Keras' class of callbacks."""
        callback: type = first_module(
            "keras", "tf_keras", purpose=f"mindinsight_like.{cls.__name__}"
        ).callbacks.Callback
        return callback

    def on_train_begin(self, logs: Any = None) -> None:
        self._begin()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._step()

    def on_train_end(self, logs: Any = None) -> None:
        self._end()


class HuggingFaceProfilerCallback(_ProfilerCallback):
    """Profiles the Trainer of Hugging Face, each of its steps one, with all batches that are accumulated in it.

    Trainer(model, args, train_dataset=data, callbacks=[HuggingFaceProfilerCallback("runs/first")])
    """

    @classmethod
    def framework_class(cls) -> type:
        """The Trainer's class of callbacks."""
        callback: type = first_module("transformers", purpose=f"mindinsight_like.{cls.__name__}").TrainerCallback
        return callback

    def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        self._begin()

    def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        self._step()

    def on_train_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        self._end()


class LightningProfilerCallback(_ProfilerCallback):
    """Profiles the Trainer of Lightning, each batch a step.

    Trainer(callbacks=[LightningProfilerCallback("runs/first")])
    """

    @classmethod
    def framework_class(cls) -> type:
        """Lightning's class of callbacks."""
        module = first_module("lightning.pytorch", "pytorch_lightning", purpose=f"mindinsight_like.{cls.__name__}")
        callback: type = module.Callback
        return callback

    def on_train_start(self, trainer: Any, module: Any) -> None:
        self._begin()

    def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, batch: Any, number: int) -> None:
        self._step()

    def on_train_end(self, trainer: Any, module: Any) -> None:
        self._end()


class MindSporeProfilerCallback(_ProfilerCallback):
    """Profiles `Model.train` of MindSpore, each of its steps one; with data sinking those of one sink are one.

    model.train(epochs, data, callbacks=[MindSporeProfilerCallback("runs/first")])
    """

    @classmethod
    def framework_class(cls) -> type:
        """MindSpore's class of callbacks."""
        module = first_module("mindspore.train.callback", purpose=f"mindinsight_like.{cls.__name__}")
        callback: type = module.Callback
        return callback

    def on_train_begin(self, context: Any) -> None:
        self._begin()

    def on_train_step_end(self, context: Any) -> None:
        self._step()

    def on_train_end(self, context: Any) -> None:
        self._end()


class PaddleProfilerCallback(_ProfilerCallback):
    """Profiles `fit` of `paddle.Model`, each batch a step.

    model.fit(data, callbacks=PaddleProfilerCallback("runs/first"))
    """

    @classmethod
    def framework_class(cls) -> type:
        """Paddle's class of callbacks."""
        callback: type = first_module("paddle.callbacks", purpose=f"mindinsight_like.{cls.__name__}").Callback
        return callback

    def on_train_begin(self, logs: Any = None) -> None:
        self._begin()

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        self._step()

    def on_train_end(self, logs: Any = None) -> None:
        self._end()
