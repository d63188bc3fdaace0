"""The slices in use: the native ones, or their Python twins without a compiler or with MINDINSIGHT_TWIN=1."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .slices_twin import Rows, Slice, Switch, Target
else:
    try:
        if os.environ.get("MINDINSIGHT_TWIN") == "1":
            raise ImportError("the Python twin was asked for")
        from ._slices import Rows, Slice, Switch, Target
    except ImportError:
        from .slices_twin import Rows, Slice, Switch, Target

__all__ = ["Rows", "Slice", "Switch", "Target"]
