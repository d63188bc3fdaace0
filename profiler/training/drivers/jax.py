"""Drive jax.profiler."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from jax import profiler

from mindinsight_like.profiler.traces.own_format import OPERATION_TYPE
from mindinsight_like.profiler.training.drivers.driver import DriverOptions
from mindinsight_like.profiler.training.drivers.xplane_folders import folder_name

_OPTIONS = ("python_tracer_level", "host_tracer_level", "device_tracer_level")


class JaxDriver:
    """Writes `plugins/profile/<time>_<unix ns>/<host>.xplane.pb`, one for each recording, of ranks `..._rank<n>/`."""

    ARGUMENTS: ClassVar = frozenset({*_OPTIONS, "create_perfetto_link", "create_perfetto_trace", "with_stack"})

    def __init__(self, options: DriverOptions) -> None:
        self.recording = ""
        self.facts: dict[str, Any] = {}
        self._options = options
        self._step: AbstractContextManager[Any] | None = None
        self._is_recording = False

    def mark(self, name: str, type: str) -> AbstractContextManager[Any]:
        """An annotation in JAX's recording."""
        attributes = {OPERATION_TYPE: type} if type else {}
        context: AbstractContextManager[Any] = profiler.TraceAnnotation(name, **attributes)
        return context

    def prepare(self, step: int) -> None:
        """JAX has no warm-up: tracing begins at once when it is asked for."""

    def begin(self, step: int) -> None:
        options = profiler.ProfileOptions()
        # Frames of Python are most of a recording and slow everything down: only for who asks for stacks.
        usual = {"python_tracer_level": int(bool(self._options.arguments.get("with_stack")))}
        for name, value in self._options.chosen(*_OPTIONS, **usual).items():
            setattr(options, name, value)
        # JAX names folders by the second and files by the host: another recording, or rank, could overwrite this one.
        options.session_id = folder_name(self.recording, self._options.place)
        self._options.folder.mkdir(parents=True, exist_ok=True)
        profiler.start_trace(
            os.fspath(self._options.folder),
            profiler_options=options,
            **self._options.chosen("create_perfetto_link", "create_perfetto_trace"),
        )
        self._is_recording = True
        self._enter(step)

    def step(self, step: int) -> None:
        self._leave()
        if self._is_recording:
            self._enter(step)

    def end(self, *, is_in_step: bool) -> None:
        if not is_in_step:
            self._leave()
        if self._is_recording:
            self._is_recording = False
            profiler.stop_trace()
        self._leave()  # what ends later than the recording is not in it: half a step is none

    def _enter(self, step: int) -> None:
        self._step = profiler.StepTraceAnnotation("train", step_num=step)
        self._step.__enter__()

    def _leave(self) -> None:
        mark, self._step = self._step, None
        if mark is not None:
            mark.__exit__(None, None, None)


driver = JaxDriver
