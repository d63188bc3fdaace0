"""Names of a package that are imported when first used (PEP 562): training scripts pay only for what they use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a package whose names live in other modules.

    `modules` gives the module of each name, as "module", or "module:name" where it has another name there. Hide the
    assignment from type checkers, which would otherwise take any misspelt name for granted.
    """

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = modules[name].partition(":")
        return getattr(import_module(module), attribute or name)

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *modules})

    return load, names
