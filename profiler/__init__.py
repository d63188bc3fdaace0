"""Profiles of trainings: `Profiler` for the script, readers and analyses of what profilers leave, and their pages.

Importing this loads nothing else: parts are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mindinsight_like.profiler.training.profiler import Profiler
    from mindinsight_like.profiler.training.schedules import schedule

__all__ = ["Profiler", "schedule"]

_LOADED_ON_USE = {
    "Profiler": "mindinsight_like.profiler.training.profiler",
    "schedule": "mindinsight_like.profiler.training.schedules",
}


def __getattr__(name: str) -> Any:
    if name not in _LOADED_ON_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LOADED_ON_USE[name]), name)
