"""Order and nesting of slices: native, or the Python twin where there was no compiler."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .nesting_twin import launched_within, launchers, nearest, nest, repeats, time_order
else:
    try:
        if os.environ.get("MINDINSIGHT_TWIN") == "1":
            raise ImportError("the Python twin was asked for")
        from ._nesting import launched_within, launchers, nearest, nest, repeats, time_order
    except ImportError:
        from .nesting_twin import launched_within, launchers, nearest, nest, repeats, time_order

__all__ = ["launched_within", "launchers", "nearest", "nest", "repeats", "time_order"]
