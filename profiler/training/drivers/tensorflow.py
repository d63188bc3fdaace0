"""Drive tf.profiler.experimental."""

from __future__ import annotations

import os
import shutil
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, Final

import tensorflow as tf

from mindinsight_like.profiler.traces.own_format import OPERATION_TYPE
from mindinsight_like.profiler.training.drivers.driver import DriverOptions
from mindinsight_like.profiler.training.drivers.xplane_folders import folder_name

_LEVELS: Final = ("host_tracer_level", "python_tracer_level", "device_tracer_level")
_BELOW: Final = Path("plugins", "profile")


class TensorFlowDriver:
    """Writes `plugins/profile/<time>_<unix ns>/<host>.xplane.pb`, one for each recording, of ranks `..._rank<n>/`."""

    ARGUMENTS: ClassVar = frozenset({*_LEVELS, "with_stack"})

    def __init__(self, options: DriverOptions) -> None:
        self.recording = ""
        self.facts: dict[str, Any] = {}
        self._options = options
        self._step: AbstractContextManager[Any] | None = None
        self._is_recording = False

    def mark(self, name: str, type: str) -> AbstractContextManager[Any]:
        """An annotation in TensorFlow's recording."""
        attributes = {OPERATION_TYPE: type} if type else {}
        context: AbstractContextManager[Any] = tf.profiler.experimental.Trace(name, **attributes)
        return context

    def prepare(self, step: int) -> None:
        """TensorFlow has no warm-up: tracing begins at once when it is asked for."""

    def begin(self, step: int) -> None:
        # Frames of Python are most of a recording and slow everything down: only for who asks for stacks.
        usual = {"python_tracer_level": int(bool(self._options.arguments.get("with_stack")))}
        options = tf.profiler.experimental.ProfilerOptions(**self._options.chosen(*_LEVELS, **usual))
        self._hidden.mkdir(parents=True, exist_ok=True)
        tf.profiler.experimental.start(os.fspath(self._hidden), options)
        self._is_recording = True
        self._enter(step)

    def step(self, step: int) -> None:
        self._leave()
        if self._is_recording:
            self._enter(step)

    def end(self, *, is_in_step: bool) -> None:
        if not is_in_step:
            self._leave()
        try:
            if self._is_recording:
                self._is_recording = False
                tf.profiler.experimental.stop()
                self._put_in_place()
        finally:
            self._leave()  # what ends later than the recording is not in it: half a step is none

    @property
    def _hidden(self) -> Path:
        """Where TensorFlow writes: it names folders by the second, so that another rank could overwrite this one.

        Below the folder of profiles, so that what a service sees of it in the meantime belongs to the run.
        """
        return self._options.folder / _BELOW / f".{self.recording}"

    def _put_in_place(self) -> None:
        (written,) = (self._hidden / _BELOW).iterdir()
        target = self._options.folder / _BELOW / folder_name(self.recording, self._options.place)
        written.rename(target)
        shutil.rmtree(self._hidden, ignore_errors=True)

    def _enter(self, step: int) -> None:
        self._step = tf.profiler.experimental.Trace("train", step_num=step, _r=1)
        self._step.__enter__()

    def _leave(self) -> None:
        mark, self._step = self._step, None
        if mark is not None:
            mark.__exit__(None, None, None)


driver = TensorFlowDriver
