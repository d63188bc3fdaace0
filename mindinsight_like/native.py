"""Native modules and their Python references: one switch for all of them.

A reference takes the place of a native module that is missing, as after an install without a compiler, and of all of
them with MINDINSIGHT_TWIN=1. Both have the same signatures and give the same results.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from types import ModuleType

MODULES = (
    "mindinsight_like.logs._scan",
    "mindinsight_like.store.database._pages",
    "mindinsight_like.store.segments._curves",
    "mindinsight_like.trackers._records",
    "mindinsight_like.trackers._cells",
    "mindinsight_like.profiler.traces._events",
    "mindinsight_like.profiler.traces._planes",
    "mindinsight_like.profiler.analysis.columns._nesting",
    "mindinsight_like.profiler.analysis.columns._grouping",
    "mindinsight_like.profiler.analysis.columns._intervals",
    "mindinsight_like.profiler.analysis.columns._drawing",
    "mindinsight_like.profiler.training._slices",
)


def implementation(native: str, reference: str) -> ModuleType:
    """The native module, or its reference where that takes its place."""
    if not _prefers_reference():
        try:
            return import_module(native)
        except ImportError:
            pass
    return import_module(reference)


def is_native(module: ModuleType) -> bool:
    return module.__name__ in MODULES


@cache
def missing() -> tuple[str, ...]:
    """Native modules whose references are in use."""
    from importlib.util import find_spec  # training scripts need not load it

    return tuple(name for name in MODULES if _prefers_reference() or find_spec(name) is None)


def _prefers_reference() -> bool:
    return os.environ.get("MINDINSIGHT_TWIN") == "1"
