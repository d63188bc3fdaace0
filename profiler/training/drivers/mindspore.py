"""Drive mindspore.profiler.profile, or the mindspore.Profiler of versions before 2.4."""

from __future__ import annotations

import importlib
import inspect
import os
from pathlib import Path
from typing import Any, ClassVar

import mindspore

from mindinsight_like.profiler.process.warnings import harmless
from mindinsight_like.profiler.training.drivers.driver import DriverOptions
from mindinsight_like.profiler.training.drivers.step_marks import StepMarks

# Arguments that today's versions want in an `_ExperimentalConfig`.
_OF_EXPERIMENTS = ("profiler_level", "aic_metrics", "l2_cache", "mstx", "data_simplification", "export_type")


class MindSporeDriver:
    """Writes `<host>_<pid>.rank<n>.<unix ns>_<time>_ascend_ms/`, one for each recording; on other devices, too.

    Steps are only in recordings of Ascend devices. They are noted here for the others: executions on a CPU are told on
    the same clock, that of the system.
    """

    ARGUMENTS: ClassVar = frozenset(
        {
            "activities",
            "data_process",
            "experimental_config",
            "hbm_ddr",
            "parallel_strategy",
            "pcie",
            "profile_memory",
            "record_shapes",
            "sync_enable",
            "with_stack",
            *_OF_EXPERIMENTS,
        }
    )
    mark = None

    def __init__(self, options: DriverOptions) -> None:
        self.recording = ""
        self.facts: dict[str, Any] = {}
        self._options = options
        self._profile: Any = None
        self._action: Any = None
        self._marks = StepMarks()
        self._older: set[Path] = set()  # recordings that are there already

    def prepare(self, step: int) -> None:
        self._start(_action("WARM_UP"), step)

    def begin(self, step: int) -> None:
        if self._profile is None:
            self._start(_action("RECORD"), step)
        else:
            self._action = _action("RECORD")
            self._profile.step()
        self._marks = StepMarks()
        self._marks.begin(step)

    def step(self, step: int) -> None:
        self._marks.begin(step)
        self._profile.step()

    def end(self, *, is_in_step: bool) -> None:
        profile, self._profile = self._profile, None
        if profile is not None:
            self._marks.end(is_in_step=is_in_step)
            # As at the end of a cycle of its own schedule, where it neither warns nor leaves anything out.
            self._action, profile.current_action = _action("NONE"), _action("RECORD_AND_SAVE")
            profile.step()
            profile.stop()
            with harmless("the steps cannot be noted"):
                for folder in self._recordings() - self._older:
                    self._marks.write(folder)

    def _recordings(self) -> set[Path]:
        """Those of this process; one that `on_trace_ready` puts elsewhere is not found."""
        return set(Path(self._options.folder).glob(f"*_{os.getpid()}[._]*_ascend_ms"))

    def _start(self, action: Any, step: int) -> None:
        theirs = mindspore.profiler
        self._older = self._recordings()
        self._action = action
        supported = inspect.signature(theirs.profile).parameters
        arguments = {name: value for name, value in self._options.chosen(*self.ARGUMENTS).items() if name in supported}
        if "experimental_config" not in arguments and (config := _experiments(self._options)):
            arguments["experimental_config"] = config
        profile = theirs.profile(
            **arguments,
            start_profile=False,
            schedule=theirs.schedule(wait=0, warmup=1, active=1),  # with one, steps are recorded
            on_trace_ready=self._options.on_trace_ready
            or theirs.tensorboard_trace_handler(os.fspath(self._options.folder), worker_name=self.recording),
        )
        profile.schedule = lambda _: self._action  # the profiler that drives this one knows the steps
        profile.step_num, profile.current_action = step, action
        profile.start()
        self._profile = profile


class OldMindSporeDriver:
    """Writes `profiler/`; versions before 2.4 know neither steps nor several recordings."""

    ARGUMENTS: ClassVar = frozenset(
        {
            "aicore_metrics",
            "data_process",
            "l2_cache",
            "op_time",
            "parallel_strategy",
            "profile_communication",
            "profile_framework",
            "profile_memory",
            "sync_enable",
            "timeline_limit",
        }
    )
    mark = None

    def __init__(self, options: DriverOptions) -> None:
        self.recording = ""
        self.facts: dict[str, Any] = {}
        self._options = options
        self._profiler: Any = None

    def prepare(self, step: int) -> None:
        """There is no warm-up."""

    def begin(self, step: int) -> None:
        # It takes no relative path, and wants the folder to be there.
        folder = Path(self._options.folder).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        self._profiler = mindspore.Profiler(output_path=os.fspath(folder), **self._options.chosen(*self.ARGUMENTS))

    def step(self, step: int) -> None:
        """Steps are not recorded."""

    def end(self, *, is_in_step: bool) -> None:
        profiler, self._profiler = self._profiler, None
        if profiler is not None:
            profiler.analyse()


def _action(name: str) -> Any:
    # `mindspore.profiler.schedule` is a function that hides the module of this name.
    return getattr(importlib.import_module("mindspore.profiler.schedule").ProfilerAction, name)


def _experiments(options: DriverOptions) -> Any:
    arguments = options.chosen(*_OF_EXPERIMENTS)
    return mindspore.profiler._ExperimentalConfig(**arguments) if arguments else None


def driver(options: DriverOptions) -> MindSporeDriver | OldMindSporeDriver:
    """The driver for the MindSpore that is installed."""
    return MindSporeDriver(options) if hasattr(mindspore.profiler, "profile") else OldMindSporeDriver(options)
