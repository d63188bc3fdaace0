"""Drive torch.profiler."""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import torch
from torch.profiler import ProfilerAction, ProfilerActivity, record_function

from mindinsight_like.profiler.training.drivers.driver import Wishes


class TorchDriver:
    """Writes `<worker>.<unix ns>.pt.trace.json.gz`, one for each recording."""

    ARGUMENTS: ClassVar = frozenset(
        {
            "activities",
            "experimental_config",
            "profile_memory",
            "record_shapes",
            "with_flops",
            "with_modules",
            "with_stack",
        }
    )

    def __init__(self, wishes: Wishes) -> None:
        self._wishes = wishes
        self._profile: Any = None
        self._action = ProfilerAction.RECORD

    def mark(self, name: str, type: str) -> AbstractContextManager[Any]:
        """A user annotation in torch's recording."""
        context: AbstractContextManager[Any] = record_function(name)
        return context

    def prepare(self, step: int) -> None:
        self._start(ProfilerAction.WARMUP, step)

    def begin(self, step: int) -> None:
        if self._profile is None:
            self._start(ProfilerAction.RECORD, step)
        else:
            self._action = ProfilerAction.RECORD
            self._profile.step()

    def step(self, step: int) -> None:
        self._profile.step()

    def end(self, *, is_in_step: bool) -> None:
        profile, self._profile = self._profile, None
        if profile is not None:
            profile.stop()

    def _start(self, action: ProfilerAction, step: int) -> None:
        self._action = action
        arguments = self._wishes.chosen(*self.ARGUMENTS, record_shapes=True)
        arguments["activities"] = _activities(arguments.get("activities"))
        profile = torch.profiler.profile(
            **arguments,
            schedule=lambda _: self._action,  # the profiler that drives this one knows the steps
            on_trace_ready=self._wishes.on_trace_ready or self._save,
        )
        profile.step_num = step
        profile.start()
        self._profile = profile

    def _save(self, profile: Any) -> None:
        folder = self._wishes.folder
        folder.mkdir(parents=True, exist_ok=True)
        profile.export_chrome_trace(os.fspath(folder / f"{self._wishes.worker}.{time.time_ns()}.pt.trace.json.gz"))


def _activities(given: Any) -> list[ProfilerActivity]:
    """As given, also by name or in MindSpore's words; those that this machine has when none is given."""
    known = {each.name: each for each in torch.profiler.supported_activities()}
    if not given:
        return list(known.values())
    names = {str(getattr(each, "name", each)).upper().removeprefix("PROFILERACTIVITY.") for each in given}
    names = {"CUDA" if name == "GPU" else name for name in names}
    return [known[name] for name in known if name in names] or list(known.values())


driver = TorchDriver
