"""Detection of the framework a script trains with."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import ModuleType
from typing import Any, Final

NONE: Final = "none"
FRAMEWORKS: Final = ("mindspore", "paddle", "torch", "tensorflow", "jax")
# Libraries that train with a framework: a script that imports them need not import it by name.
_ON_TOP: Final = {
    "accelerate": "torch",
    "flax": "jax",
    "haiku": "jax",
    "lightning": "torch",
    "optax": "jax",
    "pytorch_lightning": "torch",
    "tf_keras": "tensorflow",
    "torchvision": "torch",
    "transformers": "torch",
}


def training_framework(modules: Mapping[str, ModuleType] | None = None, script: Mapping[str, Any] | None = None) -> str:
    """The framework that trains, NONE where none is imported.

    Most frameworks come along with some library: TensorBoard imports TensorFlow, Keras and TensorFlow import JAX. So
    what the script itself names counts first, then what Keras computes with, then what has begun to compute.
    """
    modules = sys.modules if modules is None else modules
    if script is None:
        script = vars(modules["__main__"]) if "__main__" in modules else {}
    imported = [name for name in FRAMEWORKS if name in modules]
    if len(imported) < 2:
        return imported[0] if imported else NONE
    for name in ("mindspore", "paddle"):  # nothing imports these but scripts
        if name in imported:
            return name
    keras = _keras_backend(modules)
    roots = {root for value in list(script.values()) if (root := _root_of(value))}
    on_top = {**_ON_TOP, "keras": keras}
    named = {on_top.get(root, root) for root in roots} & set(imported)
    if len(named) == 1:
        return named.pop()
    if keras in imported and ("keras" in roots or "torch" not in (named or imported)):
        return keras
    choice = named or set(imported)
    if "torch" in choice:
        return "torch"
    # Scripts that name both load data with TensorFlow, and train with JAX.
    return "jax" if named or _has_begun(modules) else "tensorflow"


def _root_of(value: object) -> str:
    """The package that a name of the script stands for, or comes from."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return name.partition(".")[0] if isinstance(name, str) else ""


def _keras_backend(modules: Mapping[str, ModuleType]) -> str:
    keras = modules.get("keras")
    if keras is None:
        return "tensorflow" if "tf_keras" in modules else ""
    with suppress(Exception):  # half imported, or of another generation
        backend: Callable[[], str] = keras.backend.backend
        return backend()
    return ""


def _has_begun(modules: Mapping[str, ModuleType]) -> bool:
    """Whether JAX has looked for devices, which it does with the first computation."""
    with suppress(Exception):
        return bool(modules["jax._src.xla_bridge"].backends_are_initialized())
    return False
