"""Choice of the driver for the framework that trains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mindinsight_like.profiler.process.identity import Process
from mindinsight_like.profiler.process.warnings import harmless, tell
from mindinsight_like.profiler.training import drivers
from mindinsight_like.profiler.training.frameworks import NONE


class DriverChoice:
    """Makes a driver when it is first needed, and another one when the framework or the ranks have changed."""

    def __init__(
        self, output_path: Path, arguments: Mapping[str, Any], on_trace_ready: Callable[[Any], Any] | None
    ) -> None:
        """`arguments` are those of the framework's profiler."""
        self._output_path = output_path
        self._arguments = dict(arguments)
        self._on_trace_ready = on_trace_ready
        self._driver: drivers.Driver | None = None
        self._made_for: tuple[str, Process] | None = None

    def driver(self, framework: str, process: Process) -> drivers.Driver | None:
        """None where there is none for the framework; tells of arguments that mean nothing to it."""
        if self._driver is not None and self._made_for == (framework, process):
            return self._driver
        driver: drivers.Driver | None = None
        if framework != NONE:
            place = f"rank{process.rank}" if process.ranks > 1 else ""
            options = drivers.DriverOptions(self._output_path, place, self._arguments, self._on_trace_ready)
            with harmless(f"the profiler of {framework} cannot be used"):
                driver = drivers.driver_for(framework, options)
        supported = driver.ARGUMENTS if driver is not None else frozenset()
        unsupported = [name for name, value in self._arguments.items() if name not in supported and value is not None]
        if unsupported:
            whose = f"the profiler of {framework}" if driver is not None else "recording by hand"
            tell(f"{', '.join(sorted(unsupported))}: these arguments mean nothing to {whose} and are left out")
        self._driver, self._made_for = driver, (framework, process)
        return driver

    def forget(self) -> None:
        """Make a new driver when one is needed next: that of another process cannot be used."""
        self._driver = None
