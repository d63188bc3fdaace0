"""Drive torch.profiler."""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import torch
from torch.profiler import ProfilerAction, ProfilerActivity, record_function

from mindinsight_like.profiler.process.warnings import tell
from mindinsight_like.profiler.traces.own_format import OPERATION_TYPES, UNFINISHED_STEP
from mindinsight_like.profiler.training import packing
from mindinsight_like.profiler.training.drivers.driver import DriverOptions, OperationTypes, Refused


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

    def __init__(self, options: DriverOptions) -> None:
        self.recording = ""
        self.facts: dict[str, Any] = {}
        self._options = options
        self._profile: Any = None
        self._action = ProfilerAction.RECORD
        self._types = OperationTypes()

    def mark(self, name: str, type: str) -> AbstractContextManager[Any]:
        """A user annotation in torch's recording."""
        context: AbstractContextManager[Any] = record_function(self._types.name_of(name, type))
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
        if profile is None:
            return
        if not torch.autograd._profiler_enabled() and self._action is ProfilerAction.RECORD:
            tell(
                "another torch.profiler was started while this one was recording, and torch records for one at a time: "
                "what was recorded here is incomplete"
            )
        if types := self._types.take_all():
            profile.add_metadata_json(OPERATION_TYPES, json.dumps(types))
        if is_in_step:
            profile.add_metadata_json(UNFINISHED_STEP, str(profile.step_num))
        profile.stop()

    def _start(self, action: ProfilerAction, step: int) -> None:
        if torch.autograd._profiler_enabled():
            # Torch would let the second take over without a word, and the first would get nothing.
            raise Refused("another torch.profiler is already recording; torch supports only one at a time")
        self._action = action
        arguments = self._options.chosen(*self.ARGUMENTS, record_shapes=True)
        arguments["activities"] = _activities(arguments.get("activities"))
        profile = torch.profiler.profile(
            **arguments,
            schedule=lambda _: self._action,  # the profiler that drives this one knows the steps
            on_trace_ready=self._options.on_trace_ready or self._save,
        )
        profile.step_num = step
        profile.start()
        self._profile = profile

    def _save(self, profile: Any) -> None:
        folder = self._options.folder
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / f"{self.recording}.pt.trace.json.gz"
        plain = packing.unpacked(target)
        profile.export_chrome_trace(os.fspath(plain))
        packing.start(plain, target)  # torch packs slowly, and in the training's own time


def _activities(requested: Any) -> list[ProfilerActivity]:
    """As given, also by name or in MindSpore's words; those that this machine has when none is given."""
    supported = {each.name: each for each in torch.profiler.supported_activities()}
    if not requested:
        return list(supported.values())
    names = {str(getattr(each, "name", each)).upper().removeprefix("PROFILERACTIVITY.") for each in requested}
    names = {"CUDA" if name == "GPU" else name for name in names}
    return [supported[name] for name in supported if name in names] or list(supported.values())


driver = TorchDriver
