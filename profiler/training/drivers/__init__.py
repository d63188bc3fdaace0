"""Profilers of frameworks, driven all the same way."""

from __future__ import annotations

import importlib
import sys
from typing import Final

from mindinsight_like.profiler.training.drivers.driver import Driver, Wishes

__all__ = ["FRAMEWORKS", "NONE", "Driver", "Wishes", "driver_for", "imported_framework"]

NONE: Final = "none"
# In this order where a script has imported several: torch and jax come along with many other libraries.
FRAMEWORKS: Final = ("mindspore", "paddle", "torch", "jax")


def imported_framework() -> str:
    """The framework that the script has imported, NONE without any."""
    return next((name for name in FRAMEWORKS if name in sys.modules), NONE)


def driver_for(framework: str, wishes: Wishes) -> Driver:
    """The driver of a framework's profiler; raises ImportError where the framework is missing."""
    module = importlib.import_module(f"mindinsight_like.profiler.training.drivers.{framework}")
    driver: Driver = module.driver(wishes)
    return driver
