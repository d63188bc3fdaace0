"""Drivers of the frameworks' profilers, behind one interface."""

from __future__ import annotations

import importlib

from mindinsight_like.profiler.training.drivers.driver import Driver, DriverOptions, Refused

__all__ = ["Driver", "DriverOptions", "Refused", "driver_for"]


def driver_for(framework: str, options: DriverOptions) -> Driver:
    """The driver of a framework's profiler; raises ImportError where the framework is missing."""
    module = importlib.import_module(f"mindinsight_like.profiler.training.drivers.{framework}")
    driver: Driver = module.driver(options)
    return driver
