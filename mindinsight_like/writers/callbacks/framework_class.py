"""Classes that subclass a framework's class lazily, when the first instance is created.

A callback must inherit from a class of its framework, but importing ours must not import any framework. Therefore
`Callback(...)` joins our class with the framework's and makes an object of the joined one.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import new_class
from typing import Any

__all__ = ["FrameworkClass", "first_module"]

_joined_classes: dict[type, type] = {}


class FrameworkClass:
    """Base of classes that join their framework when they are made; users may subclass them as any other.

    Its subclasses say by `framework_class` what they join.
    """

    def __new__(cls, *arguments: object, **named: object) -> Any:
        return object.__new__(_joined(cls))

    def __reduce__(self) -> tuple[Any, ...]:
        # The joined class has no importable name: remember ours, and join again.
        return _bare, (vars(type(self)).get("_ours", type(self)),), self.__getstate__()

    def __getstate__(self) -> dict[str, Any]:
        return dict(self.__dict__)

    @classmethod
    def framework_class(cls) -> type:
        """The framework's class, imported now; raises ImportError that says what to install."""
        raise NotImplementedError


def first_module(*names: str, purpose: str) -> Any:
    """The first of these modules that is already imported, or else can be; raises ImportError when none can."""
    for name in names:
        if name in sys.modules:
            return sys.modules[name]
    for name in names:
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
                raise  # it is installed, but lacks something of its own
    raise ImportError(f"{purpose} needs {' or '.join(names)}, which is not installed")


def _joined(ours: type[FrameworkClass]) -> type:
    if ours in _joined_classes:
        return _joined_classes[ours]
    theirs = ours.framework_class()
    if issubclass(ours, theirs):
        return ours
    joined = new_class(ours.__name__, (ours, theirs), exec_body=lambda body: body.update(_ours=ours))
    joined.__module__, joined.__qualname__, joined.__doc__ = ours.__module__, ours.__qualname__, ours.__doc__
    return _joined_classes.setdefault(ours, joined)


def _bare(ours: type[FrameworkClass]) -> Any:
    return object.__new__(_joined(ours))
