"""Lines of XPlanes by the native scanner, or by its Python twin without a compiler or when asked."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .planes_twin import Line, text_of

NATIVE = False
if TYPE_CHECKING:
    from .planes_twin import scan_line
else:
    try:
        if os.environ.get("MINDINSIGHT_TWIN") == "1":
            raise ImportError("the Python twin was asked for")
        from ._planes import scan_line

        NATIVE = True
    except ImportError:
        from .planes_twin import scan_line

__all__ = ["NATIVE", "Line", "scan_line", "text_of"]
