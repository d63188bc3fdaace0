"""Slices recorded by hand: native, or the Python reference."""

from typing import TYPE_CHECKING

from mindinsight_like.native import implementation

if TYPE_CHECKING:
    from mindinsight_like.profiler.training.reference.slices import Rows, Slice, Switch, Target
else:
    _module = implementation(
        "mindinsight_like.profiler.training._slices", "mindinsight_like.profiler.training.reference.slices"
    )
    Rows = _module.Rows
    Slice = _module.Slice
    Switch = _module.Switch
    Target = _module.Target

__all__ = ["Rows", "Slice", "Switch", "Target"]
