"""Rectangles of the timeline: native, or the Python twin where there was no compiler."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .drawing_twin import draw, pyramid
else:
    try:
        if os.environ.get("MINDINSIGHT_TWIN") == "1":
            raise ImportError("the Python twin was asked for")
        from ._drawing import draw, pyramid
    except ImportError:
        from .drawing_twin import draw, pyramid

__all__ = ["draw", "pyramid"]
