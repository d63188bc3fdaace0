"""Extremes of buckets and smoothing of curves: native, or the Python twin where there was no compiler."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .curves_twin import envelope, smooth
else:
    try:
        if os.environ.get("MINDINSIGHT_TWIN") == "1":
            raise ImportError("the Python twin was asked for")
        from ._curves import envelope, smooth
    except ImportError:
        from .curves_twin import envelope, smooth

__all__ = ["envelope", "smooth"]
