"""Drive jax.profiler."""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from jax import profiler

from mindinsight_like.profiler.training.drivers.driver import Wishes

_OPTIONS = ("python_tracer_level", "host_tracer_level", "device_tracer_level")


class JaxDriver:
    """Writes `plugins/profile/<time>/<host>.xplane.pb`, one for each recording, of ranks `<time>_rank<n>/`."""

    ARGUMENTS: ClassVar = frozenset({*_OPTIONS, "create_perfetto_link", "create_perfetto_trace", "with_stack"})

    def __init__(self, wishes: Wishes) -> None:
        self._wishes = wishes
        self._step: AbstractContextManager[Any] | None = None
        self._is_recording = False
        self._recordings = 0

    def mark(self, name: str, type: str) -> AbstractContextManager[Any]:
        """An annotation in JAX's recording."""
        context: AbstractContextManager[Any] = profiler.TraceAnnotation(name)
        return context

    def prepare(self, step: int) -> None:
        """JAX has no warm-up: tracing begins at once when it is asked for."""

    def begin(self, step: int) -> None:
        options = profiler.ProfileOptions()
        # Frames of Python are most of a recording and slow everything down: only for who asks for stacks.
        usual = {"python_tracer_level": int(bool(self._wishes.arguments.get("with_stack")))}
        for name, value in self._wishes.chosen(*_OPTIONS, **usual).items():
            setattr(options, name, value)
        # JAX names folders by the second and files by the host: another recording, or rank, could overwrite this one.
        self._recordings += 1
        number = str(self._recordings) if self._recordings > 1 else ""
        if number or self._wishes.place:
            parts = (time.strftime("%Y_%m_%d_%H_%M_%S"), number, self._wishes.place)
            options.session_id = "_".join(filter(None, parts))
        self._wishes.folder.mkdir(parents=True, exist_ok=True)
        profiler.start_trace(
            os.fspath(self._wishes.folder),
            profiler_options=options,
            **self._wishes.chosen("create_perfetto_link", "create_perfetto_trace"),
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
