"""The scanner in use: the native one, or its Python twin without a compiler or with MINDINSIGHT_TWIN=1."""

import os
from typing import TYPE_CHECKING

NATIVE = False
if TYPE_CHECKING:
    from .scan_twin import Scanner
else:
    try:
        if os.environ.get("MINDINSIGHT_TWIN") == "1":
            raise ImportError("the Python twin was asked for")
        from ._scan import Scanner

        NATIVE = True
    except ImportError:
        from .scan_twin import Scanner

__all__ = ["NATIVE", "Scanner"]
