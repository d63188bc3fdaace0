"""A self-hosted board for training logs of MindSpore, TensorBoard and VisualDL.

    import mindinsight_like as mi
    runs = mi.open("runs/")          # no server needed
    runs.scalars(tag="loss")         # every point, as a pandas table

Importing this package loads nothing else: parts are loaded when they are first used, so that training scripts pay
only for what they use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mindinsight_like.collection import Runs
    from mindinsight_like.collection import open_runs as open  # the name that the documentation promises

__all__ = ["Runs", "open"]

_LOADED_ON_USE = {
    "Runs": ("mindinsight_like.collection", "Runs"),
    "open": ("mindinsight_like.collection", "open_runs"),
}


def __getattr__(name: str) -> Any:
    if name not in _LOADED_ON_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _LOADED_ON_USE[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted((*globals(), *_LOADED_ON_USE))
