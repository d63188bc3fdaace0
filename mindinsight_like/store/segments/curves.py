"""Extremes of buckets and smoothing of curves: native, or the Python reference."""

from typing import TYPE_CHECKING

from mindinsight_like.native import implementation

if TYPE_CHECKING:
    from mindinsight_like.store.reference.curves import envelope, smooth
else:
    _module = implementation("mindinsight_like.store.segments._curves", "mindinsight_like.store.reference.curves")
    envelope = _module.envelope
    smooth = _module.smooth

__all__ = ["envelope", "smooth"]
