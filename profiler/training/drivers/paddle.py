"""Drive paddle.profiler."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, ClassVar

from paddle import profiler
from paddle.profiler import ProfilerState

from mindinsight_like.profiler.traces.own_format import OPERATION_TYPES, UNFINISHED_STEP
from mindinsight_like.profiler.training.drivers.driver import DriverOptions, OperationTypes


class PaddleDriver:
    """Writes `<worker>.<unix ns>.paddle_trace.json`, one for each recording."""

    ARGUMENTS: ClassVar = frozenset({"custom_device_types", "profile_memory", "record_shapes", "targets", "with_flops"})

    def __init__(self, options: DriverOptions) -> None:
        self.recording = ""
        self.facts: dict[str, Any] = {}
        self._options = options
        self._state = ProfilerState.RECORD
        self._is_running = False
        self._types = OperationTypes()

    def mark(self, name: str, type: str) -> AbstractContextManager[Any]:
        """An event of the user in Paddle's recording."""
        context: AbstractContextManager[Any] = profiler.RecordEvent(self._types.name_of(name, type))
        return context

    def prepare(self, step: int) -> None:
        self._start(ProfilerState.READY, step)

    def begin(self, step: int) -> None:
        if self._is_running:
            self._state = ProfilerState.RECORD
            _the_profiler().step()
        else:
            self._start(ProfilerState.RECORD, step)

    def step(self, step: int) -> None:
        _the_profiler().step()

    def end(self, *, is_in_step: bool) -> None:
        if self._is_running:
            self._is_running = False
            theirs, types = _the_profiler(), self._types.take_all()
            self.facts = {OPERATION_TYPES: types} if types else {}
            if is_in_step:
                self.facts[UNFINISHED_STEP] = theirs.step_num
            theirs.stop()

    def _start(self, state: ProfilerState, step: int) -> None:
        theirs, self._state, self._is_running = _the_profiler(), state, True
        for name, value in self._options.chosen("profile_memory", "with_flops", record_shapes=True).items():
            setattr(theirs, name, value)
        theirs.scheduler = lambda _: self._state  # the profiler that drives this one knows the steps
        theirs.on_trace_ready = self._options.on_trace_ready or self._save
        theirs.step_num, theirs.current_state = step, state
        theirs.start()

    def _save(self, profile: Any) -> None:
        self._options.folder.mkdir(parents=True, exist_ok=True)
        profile.export(os.fspath(self._options.folder / f"{self.recording}.paddle_trace.json"), format="json")


@cache
def _the_profiler() -> Any:
    """The only one of this process: a second would have no backend."""
    return profiler.Profiler()


driver = PaddleDriver
